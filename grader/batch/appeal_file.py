"""Read an appeal: a small YAML file in which a student says that a check is wrong.

student: "student-017"
check: a3.mha/outputs
claim: My heads are joined in the order that the task asks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.batch.discovery import BatchError
from grader.course.schema import Form, optional, record, required, text
from grader.course.yaml_source import Place, displayed, read_source
from grader.text.language import ENGLISH, LANGUAGES, marked

LIMIT_BYTES = 64 << 10
_CHECK = r"[a-z][a-z0-9]*\.[a-z][a-z0-9_]*/[a-z][a-z0-9_]*(?:/\S.*)?"


@dataclass(frozen=True)
class Appeal:
    """A student's claim on one criterion, or on one check of it."""

    student: str
    check: str
    """`slug/criterion`, or `slug/criterion/test`."""
    claim: str
    language: str = ENGLISH
    """The language of the reply."""

    @property
    def slug(self) -> str:
        """Return the exercise."""
        return self.check.partition("/")[0]

    @property
    def criterion(self) -> str:
        """Return the name of the criterion."""
        return self.check.split("/")[1]

    def is_about(self, check: str) -> bool:
        """Tell whether a check, by its whole name, is one that the claim is on."""
        return check == self.check or check.startswith(f"{self.check}/")


def _name() -> Form[str]:
    """Return the form for a student's id, which may look like a number."""
    words = text(marked("the id in the gradebook"))

    def read(at: Place | None) -> str:
        return at.text.strip() if at and at.text and at.text.strip() else words(at)

    return read


def _appeal(_name: str, *, student: str, check: str, claim: str, language: str) -> Appeal:
    return Appeal(student, check, claim.strip(), language)


_FORM = record(
    _appeal,
    student=required(_name()),
    check=required(text(marked("an exercise and a criterion, such as 'a1.sums/outputs'"), _CHECK)),
    claim=required(text(marked("the student's reason"))),
    language=optional(
        text(marked("a language, such as 'en' or 'ko'"), "|".join(LANGUAGES)), ENGLISH
    ),
)


def read_appeal(path: Path) -> Appeal:
    """Return the appeal in a file. Raises BatchError with every problem of the file."""
    if not path.is_file() or path.stat().st_size > LIMIT_BYTES:
        raise BatchError(f"{displayed(path)}: no file of at most {LIMIT_BYTES >> 10} KiB")
    source = read_source(path)
    appeal = _FORM(source.root) if source.root is not None else None
    if source.problems or appeal is None:
        raise BatchError("\n".join(map(str, source.problems)))
    return appeal
