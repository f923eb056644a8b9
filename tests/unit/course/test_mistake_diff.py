"""Mistakes of an exercise: what is read of their file, and how what cannot be is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.edit import Edit
from grader.course.misconceptions import Misconception, MisconceptionError
from grader.course.mistake_diff import mistakes_of_assignment, read_mistakes
from grader.course.paths import CoursePaths

HEAD = "--- reference/t1_toy.py\n\n"
ENTRY = "id: toy.half\nfails: outputs\n@@ double\n-return x\n+return y\n"
FAMILIES = """\
id: half
mistakes: halved
cause: It is halved.
@@
-return x * 2
+return x / 2
@@
-return 2 * x
+return x / 2
"""


def course(root: Path, text: str, slug: str = "t1.toy") -> CoursePaths:
    paths = CoursePaths(root)
    for path, content in ((paths.exercise(slug).mistakes, text), (paths.families, FAMILIES)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return paths


def test_an_entry_is_words_and_a_change(tmp_path: Path) -> None:
    text = f"""\
# The mistakes of t1.toy.
{HEAD}# Why it is here.
id: toy.cut
mistakes: cut, halved
fails: outputs, t2.other/state
cause: `detach` cuts it off: no gradient.
unnamed: no number shows it
@@ Model.forward
 a = 1

-b = 2
+b = 3
+
+c = 4


{ENTRY}"""
    found = read_mistakes(course(tmp_path, text), "t1.toy")

    assert found.stem == "t1_toy"
    assert found.entries == (
        Misconception(
            "toy.cut",
            ("cut", "halved"),
            "Model.forward",
            (Edit((" a = 1", " ", "-b = 2", "+b = 3", "+", "+c = 4")),),
            ("outputs", "t2.other/state"),
            "`detach` cuts it off: no gradient.",
            "no number shows it",
        ),
        Misconception("toy.half", (), "double", (Edit(("-return x", "+return y")),), ("outputs",)),
    )
    assert [found.origin.place(each) for each in found.entries] == [
        "reference/exercises/t1.toy/mistakes.diff:5",
        "reference/exercises/t1.toy/mistakes.diff:19",
    ]


def test_a_family_gives_what_an_entry_does_not_say_itself(tmp_path: Path) -> None:
    text = f"{HEAD}id: toy.half\nfamily: half\nfails: outputs\ncause: By 2.\n@@ double\n"
    (entry,) = read_mistakes(course(tmp_path, text), "t1.toy").entries

    edits = (Edit(("-return x * 2", "+return x / 2")), Edit(("-return 2 * x", "+return x / 2")))
    assert entry == Misconception("toy.half", ("halved",), "double", edits, ("outputs",), "By 2.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTRY, "1: no line '--- reference/….py' names what is changed"),
        (HEAD + ENTRY + ENTRY, "8: toy.half is there twice"),
        (HEAD + "fails: outputs\n", "3: 'fails' is not known here"),
        (HEAD + ENTRY.replace("fails", "fail"), "4: 'fail' is not known here - did you mean"),
        (HEAD + ENTRY.replace("@@ double", "@@"), "3: toy.half: `@@` and a target must follow"),
        (HEAD + "id: toy.half\n@@ double\n", "3: toy.half: lines of a diff must follow"),
        (HEAD + ENTRY + "return z\n", "8: a line of a diff starts with '-', '+' or a blank"),
        (HEAD + "id: a.b\nfamily: halves\n@@ f\n", "3: a.b: no family 'halves' - did you mean"),
        (HEAD + f"{ENTRY}\nid: a.b\nfamily: half\n@@ f\n-x\n+y\n", "9: a.b: give either a fam"),
    ],
    ids=[
        "no-head", "twice", "no-id", "misspelt", "no-target", "no-change", "no-sign", "no-family",
        "family-and-change",
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MisconceptionError) as caught:
        read_mistakes(course(tmp_path, text), "t1.toy")
    assert str(caught.value).startswith(f"reference/exercises/t1.toy/mistakes.diff:{message}")


def test_of_an_assignment_whatever_can_be_read_is_read(tmp_path: Path) -> None:
    """Exercises of other assignments are left out, and files with a fault are for `validate`."""
    course(tmp_path, HEAD + ENTRY)
    course(tmp_path, HEAD + "id: broken\n", "t1.broken")
    paths = course(tmp_path, ENTRY.join(["--- reference/t2_toy.py\n\n", ""]), "t2.toy")

    (found,) = mistakes_of_assignment(paths, "t1_toy")
    assert [entry.id for entry in found.entries] == ["toy.half"]
