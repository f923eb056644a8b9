"""Write the text of a written item for students: the question, a marked place to answer.

The marker is an HTML comment, so that it shows in an editor and nowhere else; in a notebook the
answer's cell carries it as a tag, too, so that either may be lost.
"""

from __future__ import annotations

from collections.abc import Iterable

from grader.course.questions import WrittenItem
from grader.text.points import shown

ANSWERS_FILE = "answers.md"
PLACEHOLDER = "*Write your answer here, in place of this line.*"
TAG = "answer:"
_HEAD = """\
# Written answers

A person reads and grades these; `grader check` only says whether it found them. Keep the lines
that begin with `<!-- answer:`. In a notebook there is a cell for each answer instead.
"""


def marker(slug: str) -> str:
    """Return the line above an answer.

    >>> marker("a1.why_scale")
    '<!-- answer: a1.why_scale -->'
    """
    return f"<!-- answer: {slug} -->"


def question_text(item: WrittenItem) -> str:
    """Return the heading and the question."""
    plural = "" if item.points == 1 else "s"
    heading = f"## Written answer: `{item.slug}` ({shown(item.points)} point{plural})"
    return f"{heading}\n\n{item.question}"


def answer_text(item: WrittenItem) -> str:
    """Return the place to answer: the marker and a placeholder."""
    return f"{marker(item.slug)}\n{PLACEHOLDER}"


def answers_file(items: Iterable[WrittenItem]) -> str:
    """Return the text file for those who hand in `.py` files: a section for each question."""
    sections = (f"{question_text(item)}\n\n{answer_text(item)}\n" for item in items)
    return "\n".join([_HEAD, *sections])


def placeholders(item: WrittenItem) -> frozenset[str]:
    """Return the placeholders for the answer to an item, in every language."""
    return frozenset({PLACEHOLDER, *(wording.placeholder for wording in item.wordings)})


def handed_out_lines(item: WrittenItem) -> frozenset[str]:
    """Return every line that the hand-outs print around an answer, without blanks at both ends."""
    texts = (question_text(item), *(wording.text for wording in item.wordings))
    lines = [line for text in texts for line in text.split("\n")]
    return frozenset(line.strip() for line in lines) | placeholders(item)
