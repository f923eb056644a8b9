"""Student modules look like any other to the tools that look modules and lines up."""

from __future__ import annotations

import dataclasses
import inspect
import linecache
import pickle
import sys
import traceback
import typing

import pytest

from tests.unit.worker.loading.samples import FILE, STEM, Load


def test_classes_work_with_the_tools_that_look_their_module_up(load: Load) -> None:
    source = """
    from __future__ import annotations
    import dataclasses
    import typing

    class Base:
        def __init__(self): self.made = "base"

    class Child(Base):
        def __init__(self):
            super().__init__()
            super(Child, self).__init__()
        def method(self):
            return __class__

    @dataclasses.dataclass
    class Config:
        width: int = 3
        kind: typing.ClassVar[str] = "k"

    class Pair(typing.NamedTuple):
        a: int
    """
    loaded = load(source, "Child", "Config", "Pair")
    child, config = loaded.lookup(STEM, "Child"), typing.cast("type", loaded.lookup(STEM, "Config"))

    assert child().made == "base"  # type: ignore[operator]
    assert [field.name for field in dataclasses.fields(config)] == ["width"]
    assert typing.get_type_hints(config)["width"] is int
    assert pickle.loads(pickle.dumps(config(width=4))) == config(width=4)
    assert inspect.getsource(config).startswith("@dataclasses.dataclass\nclass Config:")
    assert inspect.getmodule(config) is sys.modules[STEM]
    assert repr(config) == "<class 'a1_attention.Config'>"


def test_a_traceback_shows_the_students_line(load: Load) -> None:
    function = load("x = 1\n\ndef f(a):\n    return a.nothing\n", "f").lookup(STEM, "f")

    with pytest.raises(AttributeError) as caught:
        function(3)  # type: ignore[operator]
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.line) == (FILE, 4, "return a.nothing")


def test_the_lines_survive_a_cleared_line_cache_by_a_reset(load: Load) -> None:
    loaded = load("def f(): pass\n", "f")
    linecache.clearcache()
    loaded.reset()

    assert linecache.getline(FILE, 1) == "def f(): pass\n"
