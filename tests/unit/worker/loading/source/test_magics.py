"""What only IPython understands does nothing, and everything else stays as it is."""

from __future__ import annotations

import ast

import pytest

from grader.worker.loading.source.magics import without_magics


def plain(text: str) -> str:
    return without_magics(text).text


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "!pip install einops",
        "!pip install 'unbalanced",
        "%load_ext autoreload",
        "?torch.softmax",
        "torch.softmax?",
        "torch.softmax??",
        "model.layers[0].weight?",
        "nn.*Norm*?",
        "%time?",
        "?",
        "!!ls",
        "%%not_first",
        "!ls {path} | grep '('",
    ],
)
def test_a_line_of_ipython_becomes_an_empty_one(line: str) -> None:
    assert plain(f"a = 1\n{line}\nb = 2") == "a = 1\n\nb = 2"


@pytest.mark.parametrize("line", ["%time.sleep(1)", "!ls", "x?"])
def test_in_a_block_it_becomes_pass(line: str) -> None:
    assert plain(f"if a:\n    {line}\nb = 2") == "if a:\n    pass\nb = 2"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('text = """\n%matplotlib inline\n!ls\n"""', id="triple double quotes"),
        pytest.param("text = r'''\n!pip install \"\"\" '\n%time\n'''", id="triple single quotes"),
        pytest.param("x = (a\n% b)", id="in a bracket"),
        pytest.param("x = [\n  a\n  % b,\n]", id="in a list"),
        pytest.param("x = a \\\n% b", id="after a backslash"),
        pytest.param("x = f(\n  a,  # (\n  b\n)\nx = 1 # why?", id="comment with a bracket"),
        pytest.param("print('%d' % 3)\nprint('!')", id="in an expression"),
        pytest.param("# %matplotlib inline\n# !ls\n# why?", id="comments"),
        pytest.param("x = 'it\\'s (' \ny = 2", id="escaped quote"),
        pytest.param("assert a != b", id="unequal"),
        pytest.param("x = '!ls'\ny = \"%time\"", id="strings after ="),
        pytest.param("f(a='!b')\nx %= 3", id="augmented"),
        pytest.param("", id="nothing"),
        pytest.param("\n\nx = 1\n\n", id="blank lines"),
    ],
)
def test_python_is_left_alone(text: str) -> None:
    assert plain(text) == text


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        pytest.param("files = !ls", "files = get_ipython()", id="shell"),
        pytest.param("a, b = !ls", "a, b = get_ipython()", id="several targets"),
        pytest.param("t = %timeit -o f()", "t = get_ipython()", id="magic"),
        pytest.param("    x = !ls", "    x = get_ipython()", id="indented"),
        pytest.param("%time y = f(x)", "y = f(x)", id="timed statement"),
        pytest.param("y = %time f(x)", "y = f(x)", id="timed value"),
        pytest.param("  %time y = f(x)", "  y = f(x)", id="timed in a block"),
    ],
)
def test_a_result_is_kept_or_inert(line: str, becomes: str) -> None:
    assert plain(f"if 1:\n{line}").split("\n")[1] == becomes


def test_a_shell_line_takes_its_continuation_along() -> None:
    assert plain("!pip install a \\\n  b \\\n  c\nx = 1") == "\n\n\nx = 1"


@pytest.mark.parametrize(
    "magic", ["%%time", "%%capture out", "%%timeit -n 1", "%%wandb", "\n%%time"]
)
def test_a_cell_that_is_timed_or_captured_stays(magic: str) -> None:
    blank = "\n" * (magic.count("\n") + 1)
    assert plain(f"{magic}\ndef f():\n    return 1\n!ls") == f"{blank}def f():\n    return 1\n"


@pytest.mark.parametrize(
    "magic", ["%%bash", "%%html", "%%javascript", "%%sh -e", "%%!", "%%latex", "%%R", "%%python2"]
)
def test_a_cell_in_another_language_is_empty(magic: str) -> None:
    assert plain(f"{magic}\nfor f in *; do\n  echo (\ndone") == "\n\n\n"


def test_an_unknown_cell_magic_is_dropped_with_what_is_no_python() -> None:
    assert plain("%%brainfuck\n+[-->-[>>+>-----<<]<--<---]>-.") == "\n"


def test_a_file_written_by_a_cell_is_told() -> None:
    written = without_magics("%%writefile utils.py\ndef f():\n    pass")

    assert written.text == "\n\n"
    assert "hand in the file as well" in written.lost


def test_an_indented_cell_runs_as_in_jupyter() -> None:
    assert plain("    x = 1\n    if x:\n        y = 2\n") == "x = 1\nif x:\n    y = 2\n"


def test_line_numbers_do_not_change() -> None:
    text = "%%time\n!ls \\\n -l\n%matplotlib inline\n\ndef f():\n    x?\n    return 1\n"
    assert ast.parse(plain(text)).body[0].lineno == 6


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(" * 200_000, id="brackets"),
        pytest.param("'" * 200_001, id="quotes"),
        pytest.param('"""' + "\\" * 300_000, id="backslashes"),
        pytest.param("x" + " " * 300_000 + "= !", id="blanks"),
        pytest.param("!a \\\n" * 60_000, id="continued"),
        pytest.param("x?" * 100_000, id="help"),
    ],
)
def test_a_hostile_cell_takes_no_long_time(text: str) -> None:
    assert plain(text).count("\n") == text.count("\n")
