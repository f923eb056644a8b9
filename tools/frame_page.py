"""Writes the tables of a course's frame: tracks, and other courses; and a page of it in Korean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from grader.course.rubric import Exercise, Rubric, Visibility
from grader.text.points import shown
from tools.frame import ExerciseFrame, Frame, Words

Linked = Callable[[Iterable[str]], str]
"""Writes slugs as links to where they are described."""

_KO = {
    "core": "핵심",
    "more": "8주부터",
    "optional": "선택",
    "easy": "쉬움",
    "medium": "보통",
    "hard": "어려움",
}
_KO_HEAD = """\
# 강의 계획

연습문제마다 목표, 먼저 할 것, 걸리는 시간, 난이도, 점수와 비공개 기준을 보여 줍니다.
`make syllabus`가 `rubric.yaml`과 `reference`의 `frame.toml`들에서 만듭니다. 연습문제마다 어떤
실수를 찾아내는지는 [영어 강의 계획](syllabus.md)에 있습니다. 시간은 PyTorch의 기초를 알고 강의를
한 번 들은 사람을 기준으로 어림한 것입니다.
"""


def tracks(frame: Frame, linked: Linked, *, korean: bool = False) -> Iterator[str]:
    """The tracks, a table each: what is done in which week, and how long it takes."""
    yield "\n## 과정\n" if korean else "\n## Tracks\n"
    for track in frame.tracks:
        minutes = sum(frame.exercises[slug].minutes for slug in track.exercises)
        count, hours = len(track.exercises), _hours(minutes)
        if korean:
            yield f"\n**{track.title.ko}**: 연습문제 {count}개, 약 {hours}시간.\n"
        else:
            yield f"\n**{track.title.en}**: {count} exercises, about {hours} hours.\n"
        head = ("주", "연습문제", "시간") if korean else ("Week", "Exercises", "Hours")
        yield table(
            head,
            (
                (str(number), linked(week), _hours(sum(frame.exercises[s].minutes for s in week)))
                for number, week in enumerate(track.weeks, 1)
            ),
        )


def other_courses(frame: Frame, linked: Linked, *, korean: bool = False) -> Iterator[str]:
    """The exercises of well-known courses that ours can stand for."""
    if not frame.replaced:
        return
    if korean:
        yield "\n## 다른 강의를 대신하는 연습문제\n"
        head = ("강의", "그곳의 내용", "이 강의의 연습문제", "그곳에만 있는 것")
    else:
        yield "\n## In place of exercises of other courses\n"
        head = ("Course", "What it asks for", "Here", "What it has beyond that")
    yield table(
        head,
        (
            (one.course, _of(one.theirs, korean), linked(one.ours), _of(one.beyond, korean))
            for one in frame.replaced
        ),
    )


def effort(one: ExerciseFrame) -> tuple[str, str, str]:
    """Minutes, difficulty and part of an exercise, as cells of a table."""
    return str(one.minutes), one.difficulty, one.part


def korean_page(rubric: Rubric, frame: Frame) -> str:
    """The whole page in Korean."""

    def linked(slugs: Iterable[str]) -> str:
        return ", ".join(f"[{slug}](#{slug.replace('.', '')})" for slug in slugs)

    parts = [_KO_HEAD, *tracks(frame, linked, korean=True)]
    for stem in rubric.assignments.values():
        own = [one for one in rubric.exercises.values() if one.assignment == stem]
        parts.append(f"\n## {stem}\n")
        for exercise in own:
            parts.append(_in_korean(exercise, frame.exercises[exercise.slug], linked))
    return "\n".join([*parts, *other_courses(frame, linked, korean=True)])


def _in_korean(exercise: Exercise, one: ExerciseFrame, linked: Linked) -> str:
    hidden = ", ".join(
        f"{c.name} {shown(c.points)}"
        for c in exercise.criteria.values()
        if c.visibility is not Visibility.PUBLIC
    )
    lines = [
        f"\n### {exercise.slug}\n\n{one.objective.ko}\n",
        f"- {_KO[one.part]}, {_KO[one.difficulty]}, 약 {one.minutes}분",
        f"- 작성할 것: {', '.join(f'`{name}`' for name in exercise.targets)}",
        f"- {shown(exercise.points)}점" + (f", 비공개 기준: {hidden}" if hidden else ""),
    ]
    if one.after:
        lines.append(f"- 먼저 할 것: {linked(one.after)}")
    return "\n".join(lines) + "\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table of words."""
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, rule, *rows]) + "\n"


def _of(words: Words, korean: bool) -> str:
    return words.ko if korean else words.en


def _hours(minutes: int) -> str:
    return shown(Fraction(round(minutes / 30), 2))
