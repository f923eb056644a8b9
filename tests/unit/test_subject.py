"""The engine knows no subject: what a course is about stands in the course."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.test_architecture import modules

WORDS = frozenset(
    """
    attention attentions attend attends attending sdpa mha gqa mqa multihead vit vits qkv kv
    softmax transformer causal logit logits embedding embeddings patchify query queries
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""What nobody says who does not speak of attention; keys, heads and tokens are everybody's."""

TORCHS_OWN = {
    ("grader.processes.nursery", "scaled_dot_product_attention"),
    ("grader.processes.nursery", "softmax"),
    ("grader.validate.edits.calls", "log_softmax"),
    ("grader.validate.edits.calls", "softmax"),
    ("grader.validate.edits.steps", "softmax"),
    ("grader.validate.edits.tensors", "softmax"),
    ("grader.validate.lens.statement_lines", "NodeTransformer"),
    ("grader.validate.lens.variables", "NodeTransformer"),
}
"""Names that torch and Python made. Some of torch's operations are warmed up, since loading them
late costs every submission, and some are taken for each other by people."""

PARTS = re.compile(r"ViT|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")


def words(text: str) -> set[str]:
    """
    >>> sorted(words("MultiHeadAttention.qkv_bias"))
    ['attention', 'bias', 'head', 'multi', 'qkv']
    """
    return {part.lower() for part in PARTS.findall(text)}


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of everything that has an effect: names, and strings but for docstrings."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield line, value
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            value = node.value
            if isinstance(value, str | bytes):
                yield line, value if isinstance(value, str) else value.decode("latin-1")


def spoken(tree: dict[str, Path]) -> list[str]:
    """Every place where a module speaks of attention, as one line."""
    return sorted(
        f"{name}:{line} says {', '.join(sorted(words(text) & WORDS))}"
        for name, path in tree.items()
        for line, text in texts(ast.parse(path.read_text(encoding="utf-8")))
        if words(text) & WORDS and (name, text) not in TORCHS_OWN
    )


def test_the_engine_knows_no_attention() -> None:
    assert spoken(modules()) == []


def test_the_course_speaks_of_attention_all_the_time() -> None:
    """The positive control: the same search, where it must find every word's kind."""
    root = Path(__file__).resolve().parents[2] / "reference"
    found = spoken({path.stem: path for path in root.glob("*.py")})

    assert {line.partition(":")[0] for line in found} >= {"a1_attention", "a2_masking", "roles"}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def is_causal(): pass\n", "engine:1 says causal"),
        ("x = 'see a1_attention'\n", "engine:1 says attention"),
        ("x = 1\ny = f'{x} of MHA'\n", "engine:2 says mha"),
        ("class ViTBlock: pass\n", "engine:1 says vit"),
        ("x.toQKV()\n", "engine:1 says qkv"),
        ("f(query=1)\n", "engine:1 says query"),
        ("from torch.nn import Transformer\n", "engine:1 says transformer"),
        ("x = b'softmax'\n", "engine:1 says softmax"),
    ],
)
def test_a_word_is_found_wherever_it_has_an_effect(tmp_path: Path, source: str, said: str) -> None:
    path = tmp_path / "engine.py"
    path.write_text(source)

    assert spoken({"engine": path}) == [said]


def test_an_example_in_a_docstring_may_be_about_anything(tmp_path: Path) -> None:
    path = tmp_path / "engine.py"
    path.write_text('def f():\n    """For instance `attention`."""\n    # softmax\n')

    assert spoken({"engine": path}) == []
