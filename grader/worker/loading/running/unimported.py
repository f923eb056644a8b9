"""Note names that everybody imports and a file uses without importing: once for each name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ....text.language import _
from ..source.names import global_reads
from ..source.statements import Statement
from ..source.trees import walk
from .notes import Notes

USUAL = {
    "torch": "import torch",
    "nn": "import torch.nn as nn",
    "F": "import torch.nn.functional as F",
    "Tensor": "from torch import Tensor",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "math": "import math",
    "einops": "import einops",
    "rearrange": "from einops import rearrange",
    "functools": "import functools",
    "partial": "from functools import partial",
    "itertools": "import itertools",
    "random": "import random",
    "dataclass": "from dataclasses import dataclass",
    "Callable": "from collections.abc import Callable",
    "Optional": "from typing import Optional",
    "Tuple": "from typing import Tuple",
    "List": "from typing import List",
    "Union": "from typing import Union",
    "Any": "from typing import Any",
}
"""Name -> the import that nearly every file with this name has. No name is a method of tensors, as
`repeat` is: code that names one of these has to be disassembled."""


def tell(notes: Notes, file: str, statement: Statement, name: str, line: int) -> None:
    """Report which import is missing, once for each name in a file."""
    text = _(
        "`{name}` is used here and never imported: add `{line}` at the top of the file",
        name=name,
        line=USUAL[name],
    )
    notes.unimported(name, text, file, line, statement.block.cell)


def note_unimported(
    notes: Notes, file: str, namespace: Iterable[str], ran: Iterable[Statement]
) -> None:
    """Report imports that functions and classes of a file will miss when they are called."""
    # `Tensor` stands in annotations, which were missed at once, and in every `torch.Tensor`.
    missing = USUAL.keys() - set(namespace) - {"Tensor"}
    for statement in ran:
        if not statement.is_definition:
            continue
        for name in sorted(global_reads(statement.code, missing)):
            tell(notes, file, statement, name, next(_uses(statement, name), statement.line))


def _uses(statement: Statement, name: str) -> Iterator[int]:
    for item in walk(statement.node):
        if isinstance(item, ast.Name) and item.id == name:
            yield item.lineno
