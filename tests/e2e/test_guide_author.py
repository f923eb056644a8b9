"""The guide for authors is followed word by word: what it shows is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.guide import Astray, Reader, blocks

GUIDE = (Path(__file__).resolve().parents[2] / "docs/guide-author.md").read_text("utf-8")


def test_the_guide_leads_where_it_says(tmp_path: Path) -> None:
    reader = Reader(tmp_path)

    reader.follow(GUIDE)

    assert [command.split()[1] for command in reader.commands] == [
        "new", "filters", "validate", "stubs", "validate", "validate", "validate", "check",
    ]  # fmt: skip


def test_no_block_of_the_guide_is_only_looked_at() -> None:
    assert GUIDE.count("\n```") == 2 * len(list(blocks(GUIDE)))
    assert [
        block.line for block in blocks(GUIDE) if block.kind != "console" and not block.what
    ] == []


@pytest.mark.parametrize(
    ("guide", "message"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "line 1: echo one\nprints\none\n"),
        ("```console\n$ printf 'a\\nb\\nc\\n'\na\nc\n```\n", "prints\na\nb\nc\n"),
        (
            "<!-- file: a.txt -->\n```text\none\n```\n\n"
            "<!-- edit: a.txt -->\n```diff\n- two\n```\n",
            "line 6: a.txt holds this 0 times:\ntwo\n",
        ),
    ],
    ids=["other-words", "lines-left-out", "edit-that-does-not-fit"],
)
def test_a_guide_that_is_wrong_is_noticed(tmp_path: Path, guide: str, message: str) -> None:
    with pytest.raises(Astray) as astray:
        Reader(tmp_path).follow(guide)

    assert message in str(astray.value)
