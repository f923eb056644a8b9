"""Digests of the hand-out's definitions, by which an untouched one is recognised."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from ..stubs import StubError, stub_source
from ..worker.loading import definition_digest


def stub_digests(root: Path, targets: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    """stem -> target -> digest of its definition as handed out; missing ones are left out.

    Made from the reference: what lies in `assignments/` may have been solved there.
    """
    return {
        stem: _digests(root / "reference" / f"{stem}.py", names) for stem, names in targets.items()
    }


def _digests(path: Path, names: tuple[str, ...]) -> dict[str, str]:
    try:
        handed_out = stub_source(path.read_text(encoding="utf-8"), path.name)
    except (FileNotFoundError, StubError):
        return {}
    return {
        node.name: definition_digest(node)
        for node in ast.parse(handed_out).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names
    }
