"""Additions to Python files that people have written."""

from __future__ import annotations

import pytest

from grader.scaffold import ScaffoldError
from grader.scaffold.python_text import with_definition, with_entries, with_imports

NEW = '    Entry(id="b"),\n'


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("import torch\n\nx = 1\n", "import torch\nfrom torch import nn\n\nx = 1\n"),
        ('"""Text."""\n\nx = 1\n', '"""Text."""\n\nfrom torch import nn\n\n\nx = 1\n'),
        ("x = 1\n", "from torch import nn\n\nx = 1\n"),
        ("from torch import nn\n", "from torch import nn\n"),
        ("import torch.nn as nn\n", "import torch.nn as nn\n"),
        ("from a import (\n    b,\n)\n", "from a import (\n    b,\n)\nfrom torch import nn\n"),
    ],
    ids=["after-imports", "after-text", "empty", "there", "there-otherwise", "several-lines"],
)
def test_an_import_is_added_once(source: str, wanted: str) -> None:
    assert with_imports(source, {"nn": "from torch import nn"}, "a.py") == wanted


def test_a_definition_comes_last() -> None:
    added = with_definition("x = 1\n\n", "f", "def f():\n    pass\n", "a.py")

    assert added == "x = 1\n\n\ndef f():\n    pass\n"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("ALL = (\n)\n", f"ALL = (\n{NEW})\n"),
        ('ALL = (\n    Entry(id="a"),\n)\n', f'ALL = (\n    Entry(id="a"),\n{NEW})\n'),
        (
            'ALL = (\n    Entry(id="a")  # é, one\n    , Entry(id="c")  # last\n)\nx = 1\n',
            f'ALL = (\n    Entry(id="a")  # é, one\n    , Entry(id="c"),  # last\n{NEW})\nx = 1\n',
        ),
        ("ALL: tuple[Entry, ...] = (\n)\n", f"ALL: tuple[Entry, ...] = (\n{NEW})\n"),
    ],
    ids=["empty", "comma", "no-comma", "annotated"],
)
def test_entries_come_last(source: str, wanted: str) -> None:
    assert with_entries(source, "ALL", NEW, "_NEW", "a.py") == wanted


@pytest.mark.parametrize(
    ("total", "wanted"),
    [
        ("ALL = _A\n", "ALL = _A + _NEW\n"),
        ("ALL = _A + _B  # both\n", "ALL = _A + _B + _NEW  # both\n"),
        ("ALL = (\n    _A\n    + _B\n)\n", "ALL = (\n    _A\n    + _B + _NEW\n)\n"),
    ],
    ids=["one", "two", "lines"],
)
def test_a_sum_of_tuples_gets_one_more(total: str, wanted: str) -> None:
    before = '_A = (Entry(id="a"),)\n\n'

    assert with_entries(before + total, "ALL", NEW, "_NEW", "a.py") == (
        f"{before}_NEW = (\n{NEW})\n\n{wanted}"
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\n", r"a\.py:1: there is no tuple ALL"),
        ("ALL = [\n]\n", r"a\.py:1: there is no tuple ALL"),
        ("ALL = _A + tuple(_B)\n", r"a\.py:1: there is no tuple ALL"),
        ("_NEW = 1\nALL = _A\n", r"a\.py:1: _NEW is there already\. Next: "),
        ('_A = (Entry(id="b"),)\nALL = _A\n', r"a\.py:1: the id b is there already\. Next: "),
        ("x = 1\nALL = (Entry(), Entry())\n", r"a\.py:2: the `\)` of ALL .* Next: "),
        ('ALL = (\n    Entry(id="b"),\n)\n', r"a\.py:2: the id b is there already\. Next: "),
        ("ALL = (\n", r"a\.py:1: not valid Python: .* Next: "),
    ],
    ids=["none", "a-list", "a-call", "name-taken", "id-in-a-part", "one-line", "same-id", "broken"],
)
def test_what_cannot_be_added_to_is_told_with_its_line(source: str, message: str) -> None:
    with pytest.raises(ScaffoldError, match=message):
        with_entries(source, "ALL", NEW, "_NEW", "a.py")
