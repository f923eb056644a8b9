"""Statements run one by one: what fails is reported where it is, and the rest goes on."""

from __future__ import annotations

import sys
import typing

import pytest

from tests.unit.worker.loading.samples import FILE, STEM, Load, notes, problems, target


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        pytest.param("raise SystemExit(0)", "SystemExit: 0", id="system-exit"),
        pytest.param("class A: exit()", "the request to end the program is ignored", id="exit"),
        pytest.param("raise KeyboardInterrupt", "KeyboardInterrupt", id="keyboard-interrupt"),
        pytest.param("raise GeneratorExit", "GeneratorExit", id="generator-exit"),
        pytest.param("raise MemoryError('big')", "MemoryError: big", id="memory-error"),
        pytest.param("raise BaseException", "BaseException", id="base-exception"),
        pytest.param("x = 1 / 0", "ZeroDivisionError: division by zero", id="expression"),
        pytest.param("x = undefined", "name 'undefined' is not defined", id="unknown-name"),
        pytest.param("assert 1 == 2", "AssertionError", id="assert"),
        pytest.param("class A(metaclass=print): f()", "name 'f' is not defined", id="class-body"),
        pytest.param("@missing\ndef g(): pass", "name 'missing' is not defined", id="decorator"),
        pytest.param("import torch.nn.no_such_thing", "ModuleNotFoundError", id="import"),
        pytest.param("from math import tau2", "cannot import name 'tau2'", id="from-import"),
        pytest.param("return 5", "'return' outside function", id="return-outside"),
        pytest.param("await f()", "'await' outside function", id="await-outside"),
        pytest.param("nonlocal q", "nonlocal declaration", id="nonlocal-outside"),
        pytest.param("def g(a, a): pass", "duplicate argument", id="duplicate-argument"),
        pytest.param("del nothing", "name 'nothing' is not defined", id="del"),
    ],
)
def test_a_failing_statement_is_a_problem_and_the_rest_is_loaded(
    load: Load, statement: str, words: str
) -> None:
    loaded = load(f"a = 1\n{statement}\nb = 2\ndef f(): return b\n", "f")
    (problem,) = problems(loaded)

    assert problem[0] == FILE
    assert problem[1] in (2, 3)
    assert words in problem[2]
    assert problem[2].endswith("The rest of the file is loaded.")
    assert loaded.lookup(STEM, "f")() == 2  # type: ignore[operator]


def test_the_line_of_a_problem_is_the_innermost_of_the_student(load: Load) -> None:
    loaded = load("def build():\n    return [][3]\n\nTABLE = build()\ndef f(): return TABLE\n", "f")

    assert problems(loaded) == [
        (
            FILE,
            2,
            (
                f"`TABLE = build()` ({FILE}:4) stopped with IndexError: list index out of range. "
                "The rest of the file is loaded."
            ),
        )
    ]


def test_endless_recursion_is_a_problem(load: Load) -> None:
    loaded = load("def dig(): return dig()\nx = dig()\ndef f(): return x\n", "f")

    assert "RecursionError" in problems(loaded)[0][2]
    assert target(loaded, "f")["kind"] == "function"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def __str__(self): raise SystemExit", id="message-that-raises"),
        pytest.param("def __str__(self): return 5", id="message-of-another-type"),
        pytest.param("def __str__(self): return 'a\\n' * 10**6", id="endless-message"),
        pytest.param("__name__ = 3", id="name-of-another-type"),
        pytest.param("__traceback__ = property(lambda self: 1 / 0)", id="traceback-that-raises"),
        pytest.param("__class__ = property(lambda self: 1 / 0)", id="class-that-raises"),
    ],
)
def test_an_exception_cannot_hurt_by_its_text(load: Load, text: str) -> None:
    loaded = load(f"class Odd(Exception):\n    {text}\nraise Odd\ndef f(): pass\n", "f")
    (problem,) = problems(loaded)

    assert "Odd" in problem[2]
    assert len(problem[2]) < 500
    assert "\n" not in problem[2]


def test_a_name_error_of_the_students_own_is_not_asked_for_its_name(load: Load) -> None:
    source = """
    class Odd(NameError):
        @property
        def name(self): raise SystemExit
    raise Odd("mine")
    """

    assert "Odd: mine" in problems(load(source))[0][2]


def test_an_exception_class_that_cannot_be_hashed_is_reported(load: Load) -> None:
    source = """
    class Meta(type):
        def __hash__(cls): raise SystemExit
        def __eq__(cls, other): raise SystemExit
    class Odd(Exception, metaclass=Meta): pass
    raise Odd("mine")
    """

    assert "Odd: mine" in problems(load(source))[0][2]


def test_a_metaclass_that_raises_costs_its_class_only(load: Load) -> None:
    source = """
    class Meta(type):
        def __new__(mcs, *args): raise ValueError("no class")
        @property
        def __name__(cls): raise ValueError("no name")
    class Broken(metaclass=Meta): pass
    class Fine: pass
    """
    loaded = load(source, "Broken", "Fine")

    assert target(loaded, "Broken")["kind"] == "missing"
    assert target(loaded, "Fine")["kind"] == "class"
    assert "ValueError: no class" in problems(loaded)[0][2]


def test_a_class_whose_class_attribute_lies_is_judged_by_its_real_type(load: Load) -> None:
    source = """
    class Liar:
        @property
        def __class__(self): raise SystemExit
    thing = Liar()
    """

    assert target(load(source, "thing"), "thing")["kind"] == "value"


def test_main_never_runs(load: Load) -> None:
    loaded = load('ran = False\nif __name__ == "__main__":\n    ran = True\n', "ran")

    assert loaded.lookup(STEM, "ran") is False
    assert problems(loaded) == []


def test_input_finds_the_end_of_the_file(load: Load) -> None:
    loaded = load("n = input('how many? ')\ndef f(): return n\n", "f")

    assert "EOFError" in problems(loaded)[0][2]
    assert "nobody types while grading" in problems(loaded)[0][2]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        pytest.param("if True:\n    def f(): return 1\nelse:\n    def f(): return 2", 1, id="if"),
        pytest.param(
            "try:\n    import tqdm\nexcept ImportError:\n    def f(): return 2", 2, id="except"
        ),
        pytest.param("with open(__file__) as h:\n    pass\ndef f(): return 3", 3, id="with"),
        pytest.param("match 3:\n    case 3:\n        def f(): return 4", 4, id="match"),
        pytest.param("for k in range(3):\n    def f(k=k): return k", 2, id="loop"),
        pytest.param("def g(): return 5\nf = g", 5, id="alias"),
        pytest.param("f = lambda: 6", 6, id="lambda"),
        pytest.param("[f := len]\nf = lambda f=f: f('seven77')", 7, id="walrus"),
        pytest.param("def f(): return 1\ndef f(): return 8", 8, id="last-definition"),
        pytest.param("def g():\n    global f\n    def f(): return 9\ng()", 9, id="global"),
        pytest.param("exec('def f(): return 10')", 10, id="exec"),
        pytest.param("globals()['f'] = lambda: 11", 11, id="globals"),
        pytest.param("globals().update(f=lambda: 12)", 12, id="globals-update"),
        pytest.param(
            "class A:\n    @staticmethod\n    def f(): return 13\nf = A.f", 13, id="method"
        ),
        pytest.param("import functools as t\nf = t.partial(max, 14, 1)", 14, id="partial"),
        pytest.param("def deco(g): return lambda: 15\n@deco\ndef f(): pass", 15, id="decorator"),
        pytest.param("(f, g) = (lambda: 16, 0)", 16, id="unpacking"),
        pytest.param("f: object = lambda: 17", 17, id="annotated"),
        pytest.param("a = 1; f = lambda: 18; b = 2", 18, id="one-line"),
        pytest.param("try:\n    1 / 0\nfinally:\n    f = lambda: 19", 19, id="finally"),
    ],
)
def test_a_target_is_found_however_it_is_defined(load: Load, source: str, value: int) -> None:
    function = load(source, "f").lookup(STEM, "f")

    assert callable(function)
    assert function() == value


def test_annotations_stay_text_under_the_future_import(load: Load) -> None:
    source = "from __future__ import annotations\ndef f(x: Unknown) -> Nowhere: pass\n"
    loaded = load(source, "f")

    assert typing.cast("typing.Any", loaded.lookup(STEM, "f")).__annotations__ == {
        "x": "Unknown",
        "return": "Nowhere",
    }
    assert problems(loaded) == []


def test_module_annotations_and_docstring_are_kept(load: Load) -> None:
    load('"""What it is."""\nscale: float = 0.5\n"a remark"\nwidth: int\n')
    module = sys.modules[STEM]

    assert module.__doc__ == "What it is."
    assert module.__annotations__ == {"scale": float, "width": int}


def test_an_async_function_is_a_function(load: Load) -> None:
    assert target(load("async def f(): pass\n", "f"), "f")["kind"] == "function"


def test_a_statement_with_a_time_limit_is_announced_under_a_stable_index(load: Load) -> None:
    source = "import math\nN = 3\ndef f(x: int = 2): return T\nT = math.sqrt(N)\nclass A: pass\n"
    load(source, "f")

    assert load.progress == [(FILE, 3), (FILE, 4)]


def test_a_statement_that_hung_before_is_skipped_with_a_note(load: Load) -> None:
    source = "def f(): return T\nwhile True:\n    T = 1\nU = 2\n"
    loaded = load(source, "f", "T", skip=frozenset({(FILE, 1)}))

    assert notes(loaded) == [
        (
            2,
            (
                "`while True:` ran too long and was left out when loading again: put it under "
                '`if __name__ == "__main__":`'
            ),
        )
    ]
    assert target(loaded, "T")["why"] == (
        f"`T` is missing from {FILE}: the statement in line 2 that sets it ran too long and was "
        "left out"
    )
    assert loaded.lookup(STEM, "f")
    assert problems(loaded) == []


def test_an_index_counts_statements_that_cannot_run_too(load: Load) -> None:
    broken = "return 1\ndef g(:\n    pass\nT = len('ab')\ndef f(): return T\n"
    load(broken, "f")

    assert load.progress == [(FILE, 1)]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        pytest.param("# 한글\ndef f(): return 1\n".encode("cp949"), 1, id="not-utf-8"),
        pytest.param(b"x = '\0'\ndef f(): return 1\n", 1, id="nul-byte"),
        pytest.param(b"def f(): return 1\n\ndef g(:\n  pass\n", 3, id="syntax-error"),
    ],
)
def test_a_file_that_python_refuses_still_gives_its_targets(
    load: Load, data: bytes, line: int
) -> None:
    loaded = load(data, "f")

    assert [problem[1] for problem in problems(loaded)] == [line]
    assert loaded.lookup(STEM, "f")() == 1  # type: ignore[operator]


def test_a_syntax_error_names_the_target_it_costs(load: Load) -> None:
    loaded = load("import math\n\ndef f(x:\n    return x\n\ndef g(): return 1\n", "f", "g")

    assert target(loaded, "f")["kind"] == "missing"
    assert target(loaded, "f")["why"] == f"`f` could not be read: see {FILE}:3"
    assert target(loaded, "g")["kind"] == "function"


def test_korean_names_and_windows_line_ends_are_fine(load: Load) -> None:
    source = "\ufeff가중치 = 3\r\ndef f():\r\n    return 가중치 + 1\r\n".encode()
    loaded = load(source, "f")

    assert loaded.lookup(STEM, "f")() == 4  # type: ignore[operator]
    assert loaded.report.notes == ()
