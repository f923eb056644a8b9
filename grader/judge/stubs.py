"""Digests of the hand-out's definitions, by which an untouched one is recognised."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from ..worker.loading import definition_digest


def stub_digests(root: Path, targets: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    """stem -> target -> digest of its definition in `assignments/`; missing ones are left out."""
    return {
        stem: _digests(root / "assignments" / f"{stem}.py", names)
        for stem, names in targets.items()
    }


def _digests(path: Path, names: tuple[str, ...]) -> dict[str, str]:
    if not path.is_file():
        return {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name: definition_digest(node)
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names
    }
