"""Compute digests of the hand-out's definitions, by which an untouched one is recognised."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from ..course.paths import CoursePaths
from ..worker.loading.source.digest import definition_digest
from .stubs import StubError, stub_source


def stub_digests(root: Path, targets: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, str]]:
    """Return stem -> target -> digest of its definition as handed out; missing ones are left out.

    They are made from the reference: the files in `assignments/` may have been solved there.
    """
    paths = CoursePaths(root)
    return {stem: _digests(paths.solution(stem), names) for stem, names in targets.items()}


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
