"""Of several files that could be an assignment, the student's work is chosen."""

from __future__ import annotations

import ast
import textwrap

import pytest

from grader.worker.loading import definition_digest
from grader.worker.loading.running.choice import State, choose, state_of
from grader.worker.loading.source.blocks import read
from grader.worker.loading.source.statements import read_script

STUB = "def f(x):\n    '''Twice.'''\n    raise NotImplementedError\n"
STUBS = {"f": definition_digest(ast.parse(STUB).body[0])}
SOLVED = "def f(x):\n    return 2 * x\n"


def state(text: str, path: str = "a1.py") -> State:
    return state_of(read_script(read(path, textwrap.dedent(text).encode())), STUBS)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(STUB, id="as handed out"),
        pytest.param("import math\n\n" + STUB + "\nx = 5\nprint(x)\n", id="other code around"),
        pytest.param(STUB.replace("'''Twice.'''", "# comment\n    '''Other.'''"), id="other text"),
        pytest.param("", id="empty"),
        pytest.param("def helper():\n    return 1\n", id="target deleted"),
        pytest.param(STUB + "def g(:\n    pass\n", id="another definition broken"),
        pytest.param(STUB + "# demo\nf = None\n", id="only a demo differs"),
    ],
)
def test_without_work_on_a_target_a_file_is_untouched(text: str) -> None:
    expected = State.EDITED if "only a demo" in text else State.UNTOUCHED
    assert state(text.replace("f = None", "f(1)")) is expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SOLVED, id="solved"),
        pytest.param(STUB + SOLVED, id="solved below"),
        pytest.param(SOLVED + STUB, id="solved above"),
        pytest.param("def f(x:\n    return 2 * x\n", id="with a syntax error"),
        pytest.param(STUB + "f = lambda x: 2 * x\n", id="assigned"),
        pytest.param("from solution import f\n", id="imported"),
        pytest.param("from solution import *\n", id="imported with the rest"),
        pytest.param("if True:\n    def f(x):\n        return 2 * x\n", id="in a block"),
    ],
)
def test_work_on_a_target_makes_a_file_edited(text: str) -> None:
    assert state(text) is State.EDITED


def test_a_file_that_cannot_be_read_as_a_whole_is_unreadable() -> None:
    assert state("no notebook", "a1.ipynb") is State.UNREADABLE


def test_without_a_hand_out_any_content_counts() -> None:
    def of(text: str) -> State:
        return state_of(read_script(read("a1.py", text.encode())), {})

    assert [of(""), of("x = 1"), of("x = (")] == [State.UNTOUCHED, State.EDITED, State.EDITED]


FILES = {"stub.py": STUB, "stub2.py": STUB, "solved.py": SOLVED, "solved2.py": SOLVED, "bad.py": ""}


@pytest.mark.parametrize(
    ("paths", "chosen"),
    [
        pytest.param(("solved.py", "solved2.py"), "solved.py", id="first of two edited"),
        pytest.param(("stub.py", "solved.py"), "solved.py", id="edited beats untouched"),
        pytest.param(("solved.py", "stub.py"), "solved.py", id="edited stays"),
        pytest.param(("stub.py", "stub2.py"), "stub.py", id="both untouched"),
        pytest.param(("bad.ipynb", "solved.py"), "solved.py", id="edited beats unreadable"),
        pytest.param(("stub.py", "bad.ipynb"), "bad.ipynb", id="unreadable beats untouched"),
        pytest.param(("stub.py", "bad.ipynb", "solved2.py"), "solved2.py", id="three"),
    ],
)
def test_the_first_edited_file_is_chosen(paths: tuple[str, ...], chosen: str) -> None:
    choices = choose(
        {"a1": paths[0]},
        {"a1": paths[1:]},
        {"a1": STUBS},
        lambda path: read_script(read(path, FILES.get(path, "").encode())),
    )

    assert choices["a1"].path == chosen
    assert set(choices["a1"].states) == set(paths)


def test_a_single_file_is_not_looked_at() -> None:
    def unread(path: str) -> object:
        raise AssertionError(path)

    assert choose({"a1": "a1.py"}, {"a1": ()}, {"a1": STUBS}, unread) == {  # type: ignore[arg-type]
        "a1": ("a1.py", {})
    }
