"""Measure `grader lens` on mistakes taken out of the bank: `lens_table.py [SEED [EXERCISES]]`.

With names of mistakes in place of numbers, `lens_table.py ID...`, those are taken out.

Two known mistakes in each of five exercises, or of as many as named, are taken out of a copy of
the course, all drawn with the seed. A class is made up of them, each in three styles, beside
mistakes that are still known. The class is graded with the copy and looked at through the lens.
Prints a row for each mistake: how many who made it are in one group, whether any group of the
exercise mixes two mistakes, the edit of the reference that the lens found, and whether that edit
is the mistake. It is if both fail the same checks with the same wrong numbers, on inputs drawn
with another seed.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from grader.class_report.data.mistakes import mistakes_of  # noqa: E402
from grader.class_report.data.reading import read_class  # noqa: E402
from grader.course.course import Course, find_course  # noqa: E402
from grader.course.rubric import POLICY  # noqa: E402
from grader.engine.engine import Engine, Options  # noqa: E402
from grader.engine.lanes import cores  # noqa: E402
from grader.validate.data import CourseData, Edited, read_course  # noqa: E402
from grader.validate.lens.groups import unnamed_groups  # noqa: E402
from grader.validate.lens.likeness import FailedChecks  # noqa: E402
from grader.validate.lens.search import GroupMatch, failed_checks, matches  # noqa: E402
from grader.validate.trials import (  # noqa: E402
    Kind,
    ValidationTrial,
    each_for_itself,
    scope_of,
    submission_of,
)
from tests.restyled.styles import STYLES, restyled  # noqa: E402

EXERCISES = 5
IN_EACH = 2
STYLES_OF_EACH = 3
STILL_KNOWN = 2
"""Mistakes in each exercise that stay in the bank, each made by two students."""
OTHER_SEED = "inputs that no suite has drawn before"
PAIRS = 0
"""A mistake of the bank is a single edit for somebody who knows how to write it."""
EARLIER = frozenset(
    {
        "softmax.no_maximum",
        "softmax.by_sum",
        "heads.split_by_view",
        "heads.no_divisibility_check",
        "wrapper.one_head_repeated",
        "wrapper.batch_as_tokens",
        "patchify.by_reshape",
        "unpatchify.height_and_width_exchanged",
        "decoder.sees_the_next_token",
        "decoder.depth_ignored",
        "sdpa.softmax_without_dim",
        "gqa.no_gradient_to_keys",
        "scores.numbers_without_a_gradient",
        "head.without_bias",
        "sdpa.product_by_elements",
        "patch.nonlinear",
        "head.in_place",
        "patch.pixels_averaged",
        "gqa.bool_mask_added",
        "scores.products_not_added",
        "causal.input_changed",
        "causal.diagonal_masked",
        "rollout.residual_twice",
        "rollout.heads_discarded",
        "cross.memory_sees_no_future",
        "cross.scale_by_width",
        "heads.split_squeezed",
        "heads.not_in_front",
        "chunked.sum_not_rescaled",
        "chunked.zeros_hide_nan_gradients",
        "mlp.expansion_ignored",
        "mlp.dropout_not_scaled",
        "causal_mask.device_ignored",
        "causal_mask.offset_the_other_way",
        "heads.rest_cut_off",
        "heads.number_and_width_exchanged",
        "embeddings.class_token_is_zeros",
        "embeddings.samples_mixed",
        "packed.bool_mask_added",
        "packed.parts_split_by_view",
        "modules.weight_without_bias",
        "modules.softmax_over_axis_1",
        "generate.context_length_of_new_tokens",
        "generate.first_place",
        "patch.cut_by_reshape",
        "patch.no_gradient",
        "interpolate.no_gradient",
        "sincos.height_and_width_exchanged",
        "packed.softmax_over_queries_throughout",
        "packed.batch_and_heads_mixed",
        "loss.mean_of_the_means_of_texts",
        "loss.in_bits",
        "rope.angles_in_the_dtype_of_x",
        "rope.exponent_i",
        "mha.residual_inside",
        "mha.no_output_projection",
        "padding.one_too_many",
        "padding.inverted",
        "mlp.dropout_after_alone",
        "mlp.weights_in_a_list",
    }
)
"""Drawn with seeds 1 to 6, and looked at: never drawn again."""
LOOKED_THROUGH = frozenset({"a3.cross"})
"""Exercises of whose mistakes many were looked at while the grammar was written: none is drawn."""
_COURSE = ("rubric.yaml", "reference", "assignments", "tests/suites")


@dataclass(frozen=True)
class Row:
    """What became of one mistake that was taken out of the bank."""

    id: str
    slug: str
    students: int
    grouped: int
    """How many of those who made it are in one group without a name."""
    is_mixed: bool
    """Whether a group in this exercise, with a name or without, holds two functions."""
    match: GroupMatch | None
    is_right: bool

    @property
    def line(self) -> str:
        edits = self.match.edits if self.match else ()
        edit = " and ".join(edits[0].edits) if edits else "–"
        verdict = "yes" if self.is_right else "no"
        mixed = "yes" if self.is_mixed else "no"
        who = f"{self.grouped} of {self.students}"
        return f"| {self.id} | {self.slug} | {who} | {mixed} | `{edit}` | {verdict} |"


@dataclass(frozen=True)
class Made:
    """A student who does not exist: the mistake, and the text that was handed in."""

    id: str
    truth: Edited
    style: str
    source: str


def graded(
    course: Course, data: CourseData, trials: Sequence[ValidationTrial]
) -> Mapping[str, FailedChecks]:
    """The checks that each trial fails, with their numbers; nothing is diagnosed."""
    options = Options(workers=cores(), only=data.slugs, diagnose=False)
    scopes = {one.id: scope_of(data, one) for one in trials}
    with Engine(each_for_itself(course), options) as engine:
        results = engine.grade((submission_of(data, one) for one in trials), scopes)
        return {one.submission.id: failed_checks(one.observations) for one in results}


def in_styles(mistake: Edited) -> Mapping[str, str]:
    """The mistake in every style that changes its text."""
    name = mistake.entry.target.partition(".")[0]
    texts = {style: restyled(mistake.source, [name], change) for style, change in STYLES.items()}
    return {style: text for style, text in texts.items() if text != mistake.source}


def owner(data: CourseData, mistake: Edited) -> str:
    """The exercise that asks for what the mistake changes."""
    name = mistake.entry.target.partition(".")[0]
    exercises = data.course.rubric.exercises
    return next((slug for slug, one in exercises.items() if name in one.targets), "")


def trial(id: str, slug: str, stem: str, source: str) -> ValidationTrial:
    """A program to be graded as a known mistake is."""
    return ValidationTrial(id, Kind.MISCONCEPTION, (slug,), {stem: source})


def drawn(data: CourseData, chance: random.Random, most: int) -> Iterator[Edited]:
    """Mistakes with wrong numbers that no other entry of the bank computes, two an exercise."""
    slugs = list(data.course.rubric.exercises)
    chance.shuffle(slugs)
    slugs = [slug for slug in slugs if slug not in LOOKED_THROUGH]
    exercises = 0
    for slug in slugs:
        own = [
            one
            for one in data.misconceptions
            if owner(data, one) == slug and not any(name == POLICY for _, name in one.named)
        ]
        narrowed = read_course(data.course, (slug,))
        trials = [trial(one.entry.id, slug, one.stem, one.source) for one in own]
        seen = graded(data.course, narrowed, trials)
        fitting = [
            one
            for one in own
            if one.entry.id not in EARLIER
            and len(in_styles(one)) >= STYLES_OF_EACH
            and seen[one.entry.id].numbers
            and not any(
                seen[one.entry.id].is_same(other)
                for id, other in seen.items()
                if id != one.entry.id
            )
        ]
        if len(fitting) >= IN_EACH:
            exercises += 1
            yield from chance.sample(fitting, IN_EACH)
        if exercises == most:
            return


def named(data: CourseData, words: Sequence[str]) -> tuple[Edited, ...]:
    """The mistakes that the command line names, in its order; none if it has numbers only."""
    by_id = {one.entry.id: one for one in data.misconceptions}
    ids = [word for word in words if not word.isdecimal()]
    if unknown := [id for id in ids if id not in by_id]:
        raise SystemExit(f"no mistake of this course: {', '.join(unknown)}")
    return tuple(by_id[id] for id in ids)


def made_class(data: CourseData, gone: Sequence[Edited], chance: random.Random) -> Iterator[Made]:
    """Who made which mistake, in another style each; then who made one that is still known."""
    number = 0
    ids = {one.entry.id for one in gone}
    for one in gone:
        styles = in_styles(one)
        for style in chance.sample(sorted(styles), STYLES_OF_EACH):
            number += 1
            yield Made(f"student-{number:03}", one, style, styles[style])
    for slug in dict.fromkeys(owner(data, one) for one in gone):
        others = [
            one
            for one in data.misconceptions
            if owner(data, one) == slug and one.entry.id not in ids
        ]
        for one in chance.sample(others, min(STILL_KNOWN, len(others))):
            for _time in range(2):
                number += 1
                yield Made(f"student-{number:03}", one, "", one.source)


def course_without(gone: Sequence[Edited], folder: Path) -> Course:
    """A copy of the course whose bank has lost some mistakes."""
    skipped = shutil.ignore_patterns("__pycache__")
    for name in _COURSE:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=skipped)
        else:
            shutil.copy(source, target)
    course = find_course(folder)
    for bank in folder.glob("reference/exercises/*/mistakes.diff"):
        text = bank.read_text(encoding="utf-8")
        for one in gone:
            pattern = rf"^id: {re.escape(one.entry.id)}\n.*?(?=^(?:id: |#)|\Z)"
            text = re.sub(pattern, "", text, flags=re.M | re.S)
        bank.write_text(text, encoding="utf-8")
    return course


def hand_in(course: Course, data: CourseData, made: Sequence[Made], folder: Path) -> Path:
    """Grades the class as a TA would; returns the folder of results."""
    for one in made:
        (folder / "class" / one.id).mkdir(parents=True)
        for stem, source in {**data.references, one.truth.stem: one.source}.items():
            (folder / "class" / one.id / f"{stem}.py").write_text(source, encoding="utf-8")
    slugs = dict.fromkeys(owner(data, one.truth) for one in made)
    only = [word for slug in slugs for word in ("--only", slug)]
    words = ["batch", "class", "--out", "results", "--course", str(course.root), *only]
    done = subprocess.run(
        [sys.executable, "-m", "grader", *words],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"grader batch ended with {done.returncode}:\n{done.stderr}")
    return folder / "results"


def is_right(data: CourseData, slug: str, mistake: Edited, match: GroupMatch | None) -> bool:
    """Whether the edit computes what the mistake does, on other inputs than those of the class."""
    if match is None or not match.edits:
        return False
    edit = match.edits[0]
    rubric = replace(data.course.rubric, seed=OTHER_SEED)
    other = replace(data.course, rubric=rubric)
    pair = [trial("mistake", slug, mistake.stem, mistake.source)]
    pair.append(trial("edit", slug, edit.stem, edit.source))
    seen = graded(other, read_course(other, (slug,)), pair)
    return seen["mistake"].is_same(seen["edit"]) and bool(seen["mistake"].numbers)


def rows(
    data: CourseData, gone: Sequence[Edited], made: Sequence[Made], course: Course, results: Path
) -> Iterator[Row]:
    """What the lens makes of the class, a row for each mistake, exercise by exercise."""
    read = read_class(results, course.rubric)
    texts = {one.id: {one.truth.stem: one.source} for one in made}.__getitem__
    truth = {one.id: one.truth.entry.id for one in made}
    groups = unnamed_groups(results, read)
    for slug in dict.fromkeys(owner(data, one) for one in gone):
        own = [one for one in groups if one.slug == slug]
        found = tuple(matches(course, own, Options(workers=cores()), PAIRS, texts))
        same = [
            {truth[read.people[person].id] for person in read.people_of(group.rows)}
            for group in mistakes_of(read).lookalikes
            if group.slug == slug
        ]
        for one in gone:
            if owner(data, one) == slug:
                yield _row(data, one, truth, found, any(len(who) > 1 for who in same))


def _row(
    data: CourseData,
    mistake: Edited,
    truth: Mapping[str, str],
    found: Sequence[GroupMatch],
    is_mixed: bool,
) -> Row:
    id, slug = mistake.entry.id, owner(data, mistake)
    behind = ((sum(truth[who] == id for who in m.group.students), m) for m in found)
    grouped, match = max(behind, key=lambda pair: pair[0], default=(0, None))
    students = sum(each == id for each in truth.values())
    match = match if grouped else None
    right = is_right(data, slug, mistake, match)
    return Row(id, slug, students, grouped, is_mixed, match, right)


def main(arguments: Sequence[str]) -> int:
    """Prints the table; the exit code is 0 if eight in ten are found and no group is mixed."""
    numbers = [int(word) for word in arguments if word.isdecimal()]
    seed, most = [*numbers, *(1, EXERCISES)[len(numbers) :]]
    chance = random.Random(seed)
    data = read_course(find_course(ROOT))
    gone = named(data, arguments) or tuple(drawn(data, chance, most))
    made = tuple(made_class(data, gone, chance))
    print(f"seed {seed}: {len(gone)} mistakes taken out, {len(made)} students", flush=True)
    with tempfile.TemporaryDirectory(prefix="grader-lens-") as scratch:
        folder = Path(scratch)
        course = course_without(gone, folder / "course")
        results = hand_in(course, data, made, folder)
        print("| taken out | exercise | one group | mixed | edit | right |")
        print("| --- | --- | --- | --- | --- | --- |", flush=True)
        table = []
        for row in rows(data, gone, made, course, results):
            table.append(row)
            print(row.line, flush=True)
    right = sum(row.is_right for row in table)
    mixed = any(row.is_mixed for row in table)
    print(f"{right} of {len(table)} with the right edit; groups of two functions: {mixed:d}")
    return 0 if right >= 0.8 * len(table) and not mixed else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
