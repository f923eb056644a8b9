"""Pack a course and the grader for PrairieLearn, in one file to be unpacked over a course of its.

The layout is PrairieLearn's: a folder in `questions/` for each assignment, and in
`serverFilesCourse/` what they share, which it copies into the container of a grading job. The same
course gives the same bytes.
"""

from __future__ import annotations

import hashlib
import html
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from grader.course.course import Course
from grader.course.rubric import Rubric
from grader.export.ci.outputs import not_checked
from grader.export.ci.package_files import engine_and_course, requirements_file, zipped
from grader.export.ci.systems import System
from grader.export.gradescope import RESULTS_FILE
from grader.text.language import ENGLISH, _, language_in_use

IMAGE = "course-grader"
_TEMPLATES = Path(__file__).parent / "prairielearn"
_SHARED = "serverFilesCourse/grader/"
_SCRIPT = f"{_SHARED}run.sh"
_TIMEOUT_S = 600
"""The longest that PrairieLearn allows: what takes longer would be a failure of the student's."""
_SUFFIXES = (".py", ".ipynb")


def packed(course: Course, only: Iterable[str], image: str) -> bytes:
    """Return the archive for a course: questions on the exercises in `only`, or on all of them."""
    return zipped(contents(course, only, image), [_SCRIPT])


def contents(course: Course, only: Iterable[str], image: str) -> Mapping[str, bytes]:
    """Return every file of the archive by its name in it."""
    chosen = tuple(only) or tuple(course.rubric.exercises)
    questions: dict[str, bytes] = {}
    for stem in course.rubric.assignments.values():
        slugs = [slug for slug in chosen if course.rubric.exercises[slug].assignment == stem]
        if slugs:
            questions |= _question(course, stem, slugs, image)
    return {
        **questions,
        _SCRIPT: (_TEMPLATES / "run.sh").read_bytes(),
        f"{_SHARED}could_not_check.json": not_checked(System.PRAIRIELEARN)[RESULTS_FILE].encode(),
        f"{_SHARED}image/Dockerfile": (_TEMPLATES / "Dockerfile").read_bytes(),
        f"{_SHARED}image/requirements.txt": requirements_file(),
        **engine_and_course(course.root, _SHARED),
    }


def _question(course: Course, stem: str, slugs: Sequence[str], image: str) -> Mapping[str, bytes]:
    folder = f"questions/{stem}"
    handouts = {path.name: path.read_bytes() for path in _handouts(course.root, stem)}
    page = _page(course.rubric, slugs, sorted(handouts))
    return {
        f"{folder}/info.json": _info(course.rubric, stem, slugs, image).encode(),
        f"{folder}/question.html": page.encode(),
        **{f"{folder}/clientFilesQuestion/{name}": data for name, data in handouts.items()},
    }


def _handouts(root: Path, stem: str) -> Iterator[Path]:
    """Yield the hand-outs of an assignment, in the reader's language if the course has them so."""
    language = language_in_use()
    own = root / "assignments" / ("" if language == ENGLISH else language)
    folder = own if own.is_dir() else root / "assignments"
    yield from (path for end in _SUFFIXES if (path := folder / f"{stem}{end}").is_file())


def _info(rubric: Rubric, stem: str, slugs: Iterable[str], image: str) -> str:
    words = [word for slug in slugs for word in ("--only", slug)]
    values = {
        "uuid": _uuid(f"{rubric.course}/{stem}"),
        "title": f"{rubric.course}: {stem}",
        "topic": rubric.course,
        "type": "v3",
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "serverFilesCourse": ["grader/"],
            "entrypoint": ["/grade/" + _SCRIPT, "--lang", language_in_use(), *words],
            "timeout": _TIMEOUT_S,
        },
    }
    return json.dumps(values, indent=4, ensure_ascii=False) + "\n"


def _uuid(name: str) -> str:
    """Return the identifier of a question: unpacked anew, it is the same question.

    PrairieLearn takes those of version 4 only.
    """
    digest = hashlib.sha256(name.encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _page(rubric: Rubric, slugs: Iterable[str], handouts: Iterable[str]) -> str:
    """Return the question: the exercises, the hand-outs to download, and a place to hand in."""
    exercises = [rubric.exercises[slug] for slug in slugs]
    defined = (f"<code>{html.escape(name)}</code>" for one in exercises for name in one.targets)
    downloads = (f'<pl-file-download file-name="{name}"></pl-file-download>' for name in handouts)
    # Assignments may import each other, so all of their files can be handed in together.
    files = [f"{one}{end}" for one in rubric.assignments.values() for end in _SUFFIXES]
    first = _("Download one of these, write your solution in it, and hand it in.")
    names = _("It is graded by its file name. Files of other assignments that it imports go along.")
    lines = (
        "<pl-question-panel>",
        f"<p>{', '.join(defined)}</p>",
        f"<p>{html.escape(first)}</p>",
        *(f"<p>{one}</p>" for one in downloads),
        f"<p>{html.escape(names)}</p>",
        f'<pl-file-upload optional-file-names="{", ".join(files)}"></pl-file-upload>',
        "</pl-question-panel>",
        "<pl-submission-panel>",
        "<pl-external-grader-results></pl-external-grader-results>",
        "<pl-file-preview></pl-file-preview>",
        "</pl-submission-panel>",
    )
    return "".join(f"{line}\n" for line in lines)
