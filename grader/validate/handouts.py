"""Compare what students get with what the reference makes today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..course.mark_schemes import comments_in
from ..course.misconceptions import MisconceptionError
from ..course.source_notebooks import FILE, load_notebooks
from ..handouts.stubs import StubError, stub_source
from .data import CourseData
from .gap import Gap, gap_of

NEXT = "grader stubs"


def handout_gaps(data: CourseData) -> Iterator[Gap]:
    """Yield hand-outs that are missing or not fresh, and references that none can be made from."""
    from ..handouts.demos import read_demos
    from ..handouts.handout import handouts, written_handout
    from ..handouts.lectures import lecture_for
    from ..handouts.translated_handout import in_all_languages

    rubric = data.course.rubric
    written = rubric.written.values()
    made_from = "what rubric.yaml asks: answered here, or a question changed"
    root = data.course.root
    yield from _not_fresh(data, in_all_languages(root, written_handout(written)), made_from)
    for stem, source in data.references.items():
        try:
            stub = stub_source(source, f"reference/{stem}.py")
            demos = read_demos(root, stem)
            lecture = lecture_for(root, stem, rubric.exercises.values())
        except StubError as error:
            yield gap_of(error, "mend the file that is named")
            continue
        made = "what the reference makes: solved here, or the reference changed"
        wanted = handouts(
            stub,
            stem,
            demos=demos,
            written=written,
            exercises=rubric.exercises.values(),
            lecture=lecture,
        )
        yield from _not_fresh(data, in_all_languages(root, wanted), made)


def guide_gaps(data: CourseData) -> Iterator[Gap]:
    """Yield questions without a marking guide, and guides without a question."""
    written = data.course.rubric.written
    for slug, item in written.items():
        path = data.course.guide(slug)
        shown = path.relative_to(data.course.root).as_posix()
        if not path.is_file() or not path.read_text(encoding="utf-8").strip():
            yield Gap(shown, 1, f"nothing says how to mark {slug}", "write the marking guide")
            continue
        comments = comments_in(path.read_text(encoding="utf-8"))
        for one in item.scheme:
            if one.id not in comments:
                message = f"nothing says to students what {one.id} is"
                yield Gap(shown, 1, message, f"write a line `- {one.id}: ...`")
    for path in sorted(data.course.guide("any").parent.glob("*.md")):
        if path.stem not in written:
            shown = path.relative_to(data.course.root).as_posix()
            message = f"rubric.yaml asks no question {path.stem}"
            yield Gap(shown, 1, message, "take the guide away, or ask the question")


def notebook_gaps(data: CourseData) -> Iterator[Gap]:
    """Yield notebooks that teach an exercise or question that is not in the rubric."""
    try:
        notebooks = load_notebooks(data.course.root)
    except MisconceptionError as error:
        yield gap_of(error, "mend the list")
        return
    known = {*data.course.rubric.exercises, *data.course.rubric.written}
    for notebook in notebooks:
        for slug in notebook.teaches:
            if slug not in known:
                message = f"notebook {notebook.name}: there is no {slug} in rubric.yaml"
                yield Gap(FILE, 1, message, "name one that is there")


def _not_fresh(data: CourseData, wanted: Mapping[str, str], made: str) -> Iterator[Gap]:
    for name, text in wanted.items():
        shown = f"assignments/{name}"
        path = data.course.root / shown
        if not path.is_file():
            yield Gap(shown, 1, "this hand-out is missing", NEXT)
            continue
        present = path.read_text(encoding="utf-8")
        if present != text:
            yield Gap(shown, _first_difference(present, text), f"not {made}", NEXT)


def _first_difference(one: str, other: str) -> int:
    rows = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((n for n, (a, b) in enumerate(rows, 1) if a != b), 1)
