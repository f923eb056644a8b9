"""The guide for assignments of other systems is followed word by word."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.guide import ROOT, Reader, blocks

GUIDE = (ROOT / "docs/guide-migration.md").read_text("utf-8")


def test_the_guide_leads_where_it_says(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "examples", tmp_path / "examples")
    reader = Reader(tmp_path)

    reader.follow(GUIDE)

    assert [command.split()[1] for command in reader.commands if command.startswith("grader")] == [
        "stubs", "stubs", "new", "stubs", "validate", "batch", "check", "export", "check", "check",
    ]  # fmt: skip


def test_no_block_of_the_guide_is_only_looked_at() -> None:
    assert GUIDE.count("\n```") == 2 * len(list(blocks(GUIDE)))
    assert [
        block.line for block in blocks(GUIDE) if block.kind != "console" and not block.what
    ] == []
