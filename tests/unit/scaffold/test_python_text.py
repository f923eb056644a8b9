"""Additions to Python files that people have written."""

from __future__ import annotations

import pytest

from grader.scaffold import ScaffoldError
from grader.scaffold.python_text import with_definition, with_imports


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
    ("source", "message"),
    [
        ("def f():\n    pass\n", r"a\.py:1: f is there already\. Next: choose another --target"),
        ("x = 1\nclass f:\n    pass\n", r"a\.py:2: f is there already\. Next: "),
        ("ALL = (\n", r"a\.py:1: not valid Python: .* Next: "),
    ],
    ids=["a-function", "a-class", "broken"],
)
def test_what_cannot_be_added_to_is_told_with_its_line(source: str, message: str) -> None:
    with pytest.raises(ScaffoldError, match=message):
        with_definition(source, "f", "def f():\n    pass\n", "a.py")
