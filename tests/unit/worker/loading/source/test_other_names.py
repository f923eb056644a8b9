"""A class whose name is spelt in another way is read as the wanted one."""

from __future__ import annotations

import pytest

from grader.worker.loading.source.other_names import add_wanted_names, with_wanted_names
from grader.worker.loading.source.statements import Script, Scripts


def bound(text: str, *wanted: str) -> list[list[str]]:
    """The names that each statement binds."""
    script = with_wanted_names(Scripts({"a.py": text.encode()})("a.py"), wanted)
    assert [statement.index for statement in script.statements] == [*range(len(script.statements))]
    return [sorted(statement.binds) for statement in script.statements]


def test_the_wanted_name_stands_below_the_class() -> None:
    text = "import a\nclass Seen_v1:\n    pass\nlast = 1\n"
    assert bound(text, "SeenV1") == [["a"], ["Seen_v1"], ["SeenV1"], ["last"]]


@pytest.mark.parametrize(
    "text",
    [
        "class SeenV1:\n    pass\nclass Seen_v1:\n    pass\n",
        "class Seen_v1:\n    pass\nclass Seen_V1:\n    pass\n",
        "def seen_v1():\n    pass\n",
        "class Seen_v2:\n    pass\n",
    ],
    ids=["is there", "two of them", "a function", "another"],
)
def test_nothing_is_added_where_that_would_be_a_guess(text: str) -> None:
    assert ["SeenV1"] not in bound(text, "SeenV1")[1:]


def test_it_runs_and_is_the_same_class() -> None:
    scripts = Scripts({"a.py": b"class Seen_v1:\n    pass\n"})
    add_wanted_names(scripts, {"a": "a.py"}, {"a": ("SeenV1",)})
    names: dict[str, object] = {}
    for statement in scripts("a.py").statements:
        exec(statement.code, names)
    assert names["SeenV1"] is names["Seen_v1"]


def test_only_the_files_that_are_graded_are_read() -> None:
    """Reading a file takes longer than grading a small exercise in another one."""
    files = {f"{stem}.py": b"class Seen_v1:\n    pass\n" for stem in "ab"}
    read: list[str] = []

    class Counted(Scripts):
        def __call__(self, path: str) -> Script:
            read.append(path)
            return super().__call__(path)

    entries = {stem: f"{stem}.py" for stem in "ab"}
    add_wanted_names(Counted(files), entries, {"b": ("SeenV1",), "c": ("SeenV1",)})
    assert read == ["b.py"]
