"""What was handed out is known from the reference, whatever lies in assignments/."""

from __future__ import annotations

import ast
from pathlib import Path

from grader.handouts.stub_digests import stub_digests
from grader.handouts.stubs import BEGIN, END, stub_source
from grader.worker.loading import definition_digest

REFERENCE = f"import math\n\n\ndef f():\n    {BEGIN}\n    return 1\n    {END}\n"
TARGETS = {"a1": ("f", "h"), "a2": ("f",)}


def test_the_hand_out_is_recognised_even_where_it_was_solved_in_place(tmp_path: Path) -> None:
    for folder, text in (("reference", REFERENCE), ("assignments", "def f():\n    return 1\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a1.py").write_text(text)
    handed_out = ast.parse(stub_source(REFERENCE, "a1.py")).body[1]

    assert stub_digests(tmp_path, TARGETS) == {
        "a1": {"f": definition_digest(handed_out)},
        "a2": {},
    }


def test_a_reference_without_fences_has_no_hand_out(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "a1.py").write_text("def f():\n    return 1\n")

    assert stub_digests(tmp_path, {"a1": ("f",)}) == {"a1": {}}
