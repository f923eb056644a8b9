"""`grader validate` is green on this course, and red, with the right words, on a spoilt one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.cli import main
from grader.course.course import find_course
from grader.course.rubric import POLICY
from grader.engine.engine import Options
from grader.grade.evidence import Cause, Outcome
from grader.handouts.generation import write as write_handouts
from grader.validate.data import read_course
from grader.validate.diagnosis import OPEN_TARGET, SELF_TARGET, Diagnosed, Verdict
from grader.validate.proof import Proof, prove
from grader.validate.report import json_report, text_report
from grader.validate.survivors import survey_mutants
from grader.validate.survivors_report import survey_json, survey_text
from grader.validate.trials import GradedTrial, grade, kills
from tests.support.turns import IS_WHOLE, in_turn
from tests.support.warm import WarmNurseries, warm

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
SLUGS = in_turn(tuple(find_course(ROOT).rubric.exercises), 3)
"""The exercises of this course that are validated."""
OWN = "reference/exercises/t1.toy"
TOY = {
    "rubric.yaml": """\
course: toy
seed: toy-seed
assignments: {t1: t1_toy}
exercises:
  t1.toy:
    targets: [double]
    criteria:
      outputs:   {points: 4, visibility: public}
      gradients: {points: 1, visibility: hidden}
""",
    "reference/t1_toy.py": '''\
"""Doubling."""


def double(x):
    """Twice x."""
    # BEGIN SOLUTION
    return x * 2
    # END SOLUTION
''',
    f"{OWN}/mistakes.diff": """\
--- reference/t1_toy.py

id: toy.half
fails: outputs
@@ double
-return x * 2
+return x / 2

id: toy.size
fails: outputs
@@ double
-return x * 2
+return x.abs() * 2

id: toy.cut
fails: gradients
@@ double
-return x * 2
+return x.detach() * 2
""",
    f"{OWN}/variants.py": """\
# %% toy.sum
def double(x):
    return x + x
""",
    "tests/suites/t1_toy/public/test_toy.py": '''\
"""t1.toy, public criteria."""

SEEN = []


class TestOutputs:
    def test_positive(self, student, reference, probe, expect):
        """Positive numbers are doubled."""
        expect.matches(student.double, reference.double, probe.rand(5))

    def test_negative(self, student, reference, probe, expect):
        """Negative numbers are doubled."""
        expect.matches(student.double, reference.double, -probe.rand(5))
''',
    "tests/suites/t1_toy/test_toy.py": '''\
"""t1.toy, hidden criteria."""

import pytest


class TestGradients:
    @pytest.mark.fresh
    def test_gradient(self, student, reference, probe, expect):
        """The gradient is right."""
        expect.gradients(student.double, reference.double, probe.randn(5))
''',
}
PUBLIC, HIDDEN = "tests/suites/t1_toy/public/test_toy.py", "tests/suites/t1_toy/test_toy.py"


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy course with its hand-outs and its record."""
    root = tmp_path_factory.mktemp("toy")
    for name, text in TOY.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    write_handouts(root)
    proof = prove(find_course(root), (), Options(), write=True)
    assert [str(gap) for gap in proof.gaps] == []
    return root


@pytest.fixture
def toy(proven: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(proven, tmp_path / "toy"))


Spoil = Callable[[str, str, str], None]


@pytest.fixture
def spoil(toy: Path) -> Spoil:
    def replace(file: str, old: str, new: str) -> None:
        text = (toy / file).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (toy / file).write_text(text.replace(old, new), encoding="utf-8")

    return replace


def proof_of(root: Path) -> Proof:
    return prove(find_course(root), (), Options())


def places(proof: Proof) -> list[str]:
    return [str(gap).splitlines()[0] for gap in proof.gaps]


# ---- what is not handed in ----------------------------------------------------------------------


@pytest.mark.parametrize("causes", [False, True])
def test_what_a_mistake_passes_on_record_and_here_is_not_run_once_more(
    toy: Path, causes: bool
) -> None:
    """The same is seen as of a submission, and what is fresh is run on one."""
    data = read_course(find_course(toy))
    quick, whole = (grade(data, Options(), causes, on_record=each).graded for each in (True, False))

    assert {id: seen(one) for id, one in quick.items()} == {id: seen(o) for id, o in whole.items()}
    assert {id: one.answers.keys() for id, one in quick.items()} == {
        id: one.answers.keys() for id, one in whole.items()
    }
    assert run_for(quick["toy.cut"]) == ["test_gradient"]
    assert run_for(quick["toy.size"]) == ["test_gradient", "test_negative"]
    assert run_for(whole["toy.cut"]) == ["test_gradient", "test_negative", "test_positive"]
    # Both edits of negative numbers answer otherwise than the right one, and are not alike.
    assert not same_in(quick["toy.size"], quick["toy.cut"], "test_negative")
    assert same_in(quick["toy.cut"], whole["toy.cut"], "test_negative")


def test_a_record_that_says_too_little_is_noticed(toy: Path) -> None:
    """What a mistake fails here is handed in, whatever the record says."""
    record = toy / OWN / "kill_record.json"
    kills = json.loads(record.read_text(encoding="utf-8"))
    kills["checks"]["outputs/test_positive"].remove("toy.half")
    record.write_text(json.dumps(kills), encoding="utf-8")

    proof = proof_of(toy)

    failed = {one.check: one.duration_ms for one in proof.evidence.graded["toy.half"].observations}
    assert failed["t1.toy/outputs/test_positive"] > 0
    assert any("toy.half" in str(gap) for gap in proof.gaps)


def seen(one: GradedTrial) -> list[list[tuple[str, str, str, Cause | None]]]:
    """What was seen, with and without knowledge of the mistake."""
    return [
        [(o.check, o.outcome, o.observed, o.cause) for o in several]
        for several in (one.observations, one.without)
    ]


def run_for(one: GradedTrial) -> list[str]:
    """The checks that the submission was run for; the others took no time."""
    return sorted(o.check.rpartition("/")[2] for o in one.observations if o.duration_ms)


def same_in(one: GradedTrial, other: GradedTrial, check: str) -> bool:
    rows = [each.answers[f"t1.toy/outputs/{check}"] for each in (one, other)]
    return rows[0] == rows[1]


# ---- this course ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(nurseries: WarmNurseries) -> Proof:
    with warm(nurseries, spread=True):
        only = () if IS_WHOLE else SLUGS
        return prove(find_course(ROOT), only, Options(workers=2), diagnosis=True)


@pytest.fixture(scope="module")
def diagnosed(whole: Proof) -> Diagnosed:
    assert whole.diagnosed is not None
    return whole.diagnosed


def test_this_course_has_no_gaps(whole: Proof) -> None:
    assert [str(gap) for gap in whole.gaps] == []
    assert whole.exit_code == 0


def test_counts_are_consistent(whole: Proof) -> None:
    counts = json_report(whole)["counts"]
    share = len(SLUGS) / len(whole.data.course.rubric.exercises)
    assert counts["exercises"] == len(SLUGS) >= 6
    assert counts["killed"] == counts["misconceptions"] == len(whole.data.misconceptions)
    assert counts["misconceptions"] >= 145 * share
    assert counts["full_marks"] == counts["variants"] == len(whole.data.variants) >= 34 * share
    assert counts["distinct"] == counts["misconceptions"] - sum(len(g) - 1 for g in whole.alike)
    assert counts["blank_answers"] >= 33 * share
    assert counts["checks"] == len(whole.evidence.checks) == len(json_report(whole)["kills"])


def test_every_mistake_of_the_list_is_mapped(whole: Proof) -> None:
    rows = json_report(whole)["mistakes"]
    ids = [row["id"] for row in rows]
    assert len(ids) == len({*ids}) >= 113
    assert [row for row in rows if not (row["ids"] or row["reason"] or row["open"])] == []


REACHED = {
    "patch.cut_and_multiply": ("a4.patch_embedding", "a4.embeddings", "a4.vit"),
    "patch.padding": ("a4.patch_embedding",),
    "mha.unscaled": ("a3.mha",),
}
"""Mistakes of this course, and the exercises in which they are looked for."""


def test_each_is_graded_where_it_reaches_and_traced_only_then(whole: Proof) -> None:
    graded, again = whole.evidence.graded, whole.evidence.again
    for each in graded.values():
        assert {o.exercise for o in each.observations} == {*each.trial.slugs}
        # a rule is read in the text, and nothing answers it
        ran = {o.check for o in each.observations if o.criterion != POLICY}
        assert set(each.answers) == ran
    for id, reached in REACHED.items():
        graded_in = graded[id].trial.slugs if id in graded else ()
        assert graded_in == tuple(slug for slug in reached if slug in SLUGS), id
    assert [each.answers for each in again.values()] == [{}] * len(again)
    assert {"the reference", "the stub"} < {*again}


def test_known_mistakes_are_named_and_nobody_is_wronged(whole: Proof, diagnosed: Diagnosed) -> None:
    """All three tables that `grader validate --diagnosis` prints, and right answers."""
    assert diagnosed.failures == ()
    failing = {
        id: {o.criterion for o in each.observations if kills(o)}
        for id, each in whole.evidence.graded.items()
    }
    # what breaks a rule alone is read in the text
    known = {
        each.entry.id for each in whole.data.misconceptions if failing[each.entry.id] - {POLICY}
    }
    assert {row.id for row in diagnosed.itself.rows} == known
    assert len(known) > 0.95 * len(whole.data.misconceptions)
    assert diagnosed.itself.share(Verdict.NAMED) >= SELF_TARGET
    assert [row.id for row in diagnosed.itself.of(Verdict.WRONG)] == []
    assert diagnosed.open.share(Verdict.WRONG) <= OPEN_TARGET
    pairs = whole.evidence.pairs
    assert len(pairs) == 50
    failed = {
        id: [o for o in each.observations if kills(o) and o.criterion != POLICY]
        for id, each in pairs.items()
    }
    # None of those drawn is right, as two mistakes are that undo each other.
    assert [id for id, observations in failed.items() if not observations] == []
    assert {row.id for row in diagnosed.pairs.rows} == pairs.keys()
    assert [row.id for row in diagnosed.pairs.of(Verdict.WRONG)] == []
    assert [row.id for row in diagnosed.variants.of(Verdict.WRONG)] == []


def test_each_that_is_not_named_has_a_reason(diagnosed: Diagnosed) -> None:
    silent = diagnosed.itself.of(Verdict.SILENT)
    assert silent
    assert [row.id for row in silent if not row.note] == []


def test_the_report_is_as_wide_as_a_terminal(whole: Proof) -> None:
    text = text_report(whole)
    matrix = text[text.index("\n\n") : text.index("not checked:")]
    assert max(map(len, matrix.splitlines())) <= 80
    assert text.splitlines()[-1] == "no gaps"


# ---- a spoilt course --------------------------------------------------------------------------


def test_a_check_that_goes_is_missed(toy: Path, spoil: Spoil) -> None:
    """Its mistake costs nothing any more where it says so, and the record names the check."""
    text = TOY[PUBLIC]
    spoil(PUBLIC, text[text.index("    def test_negative") :], "")
    assert places(proof_of(toy)) == [
        "reference/exercises/t1.toy/mistakes.diff:9  toy.size: costs nothing in t1.toy/outputs",
        f"{PUBLIC}:1  the check t1.toy/outputs/test_negative is gone, which blank: a constant with"
        " a gradient in t1.toy, blank: its input in t1.toy, blank: ones in t1.toy and 4 more"
        " failed",
    ]


def test_a_check_that_gets_weaker_is_told(toy: Path, spoil: Spoil) -> None:
    spoil(PUBLIC, "-probe.rand(5)", "probe.rand(5)")
    assert places(proof_of(toy)) == [
        "reference/exercises/t1.toy/mistakes.diff:9  toy.size: costs nothing in t1.toy/outputs",
        f"{PUBLIC}:11  t1.toy/outputs/test_negative: no longer failed by toy.size",
    ]


def test_a_check_that_nobody_fails_is_told(toy: Path, spoil: Spoil) -> None:
    spoil(
        PUBLIC,
        "    def test_negative",
        "    def test_shape(self, student, probe, expect):\n"
        '        """The shape is kept."""\n'
        "        expect.shape(student.double(probe.rand(5)), (5,))\n\n"
        "    def test_negative",
    )
    assert places(proof_of(toy)) == [
        f"{PUBLIC}:11  t1.toy/outputs/test_shape is new and not in {OWN}/kill_record.json",
        f"{PUBLIC}:11  t1.toy/outputs/test_shape is passed by answers that know nothing: blank:"
        " zeros, blank: ones, blank: a constant with a gradient, blank: random numbers, blank: its"
        " input",
        f"{PUBLIC}:11  t1.toy/outputs/test_shape: nobody fails it, no known mistake and no blank"
        " answer",
    ]


def test_a_check_whose_comparison_refuses_nobody_is_told(toy: Path, spoil: Spoil) -> None:
    """Mistakes that crash in it cost its points, and prove nothing of it."""
    line = "      gradients: {points: 1, visibility: hidden}\n"
    spoil("rubric.yaml", line, line + "      state:     {points: 1, visibility: hidden}\n")
    spoil(
        f"{OWN}/mistakes.diff",
        "id: toy.half\n",
        "id: toy.name\nfails: state\n@@ double\n-return x * 2\n+return x * two\n\nid: toy.half\n",
    )
    (toy / "reference/blank_answers.py").write_text('MAY_EARN = {"state": "not values"}\n')
    with (toy / HIDDEN).open("a", encoding="utf-8") as suite:
        suite.write(
            "\n\nclass TestState:\n    def test_input(self, student, probe, expect):\n"
            '        """The input is left alone."""\n'
            "        expect.finite(student.double(probe.rand(5)))\n"
        )

    proof = prove(find_course(toy), (), Options(), write=True)

    told = f"{HIDDEN}:14  t1.toy/state/test_input: whoever fails it crashes in it, or answers in"
    assert places(proof) == [f"{told} another shape; no wrong answer does"]
    assert proof.gaps[0].next.startswith("expect.finite never fails: compare what a known mistake")


def test_a_right_way_that_loses_points_is_told(toy: Path, spoil: Spoil) -> None:
    spoil(f"{OWN}/variants.py", "x + x", "x + x.abs()")
    assert places(proof_of(toy)) == [
        f"{OWN}/variants.py:1  toy.sum: loses points in t1.toy/gradients, by"
        " t1.toy/gradients/test_gradient",
        f"{OWN}/variants.py:1  toy.sum: loses points in t1.toy/outputs, by"
        " t1.toy/outputs/test_negative",
    ]


def test_a_check_that_leaves_something_behind_is_told(toy: Path, spoil: Spoil) -> None:
    """Hidden from whoever reads the text, it shows in the globals and in reverse order."""
    spoil(
        PUBLIC,
        "        expect.matches(student.double, reference.double, probe.rand(5))\n",
        "        getattr(SEEN, 'append')(1)\n"
        "        expect.matches(student.double, reference.double, probe.rand(5))\n",
    )
    spoil(
        PUBLIC,
        "        expect.matches(student.double, reference.double, -probe.rand(5))\n",
        "        expect.matches(student.double, reference.double, -probe.rand(5))\n"
        "        expect.true(student.double(1) == 2 or SEEN, 'nothing', 'something')\n",
    )
    found = places(proof_of(toy))
    assert f"{PUBLIC}:1  running its checks changes the global SEEN" in found


def test_a_check_that_does_not_look_is_told(toy: Path, spoil: Spoil) -> None:
    spoil(HIDDEN, "expect.gradients(student.double, reference.double, probe.randn(5))",
          "expect.true(True, 'no', 'yes')")  # fmt: skip
    assert (
        f"{HIDDEN}:7  t1.toy/gradients/test_gradient is 'passed' for the untouched stub"
        in places(proof_of(toy))
    )


def test_a_check_that_cannot_say_why_it_fails_still_fails(toy: Path, spoil: Spoil) -> None:
    """The mistake loses its points all the same, and only staff read what is ours to mend.

    The author is told, too.
    """
    spoil(
        PUBLIC,
        "        expect.matches(student.double, reference.double, -probe.rand(5))\n",
        "        x = probe.rand(5)\n"
        "        expect.close(student.double(-x), -2 * x, why=lambda: no_such_name)\n",
    )
    proof = proof_of(toy)
    (seen,) = [
        o for o in proof.evidence.graded["toy.half"].observations
        if o.check == "t1.toy/outputs/test_negative"
    ]  # fmt: skip
    assert (seen.outcome, seen.observed.split()[0]) == (Outcome.FAILED, "output")
    assert seen.notes[-1].startswith("no cause was looked for to the end")
    error = f"{PUBLIC}:14: NameError: name 'no_such_name' is not defined"
    assert error in seen.staff
    assert proof.exit_code == 1
    told = "t1.toy/outputs/test_negative fails on toy.half, and cannot say why: "
    assert any(told in line and error in line for line in places(proof))


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (
            "expect.close(student.double(probe.rand(5)), probe.rand(5))",
            "t1.toy/gradients/test_gradient could not be checked on ",
        ),
        ("student.double(probe.rand(5))", "the check compared nothing (it never called expect)"),
    ],
    ids=["wrong", "no-expect"],
)
def test_a_check_that_cannot_be_made_is_no_proof(
    toy: Path, spoil: Spoil, new: str, told: str
) -> None:
    spoil(HIDDEN, "expect.gradients(student.double, reference.double, probe.randn(5))", new)
    before = (toy / OWN / "kill_record.json").read_bytes()
    proof = prove(find_course(toy), (), Options(), write=True)
    assert proof.exit_code == 3
    assert any(told in line for line in places(proof))
    assert (toy / OWN / "kill_record.json").read_bytes() == before


def test_all_gaps_are_told_when_a_suite_cannot_be_collected(
    toy: Path, spoil: Spoil, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(HIDDEN, '        """The gradient is right."""\n', "")
    spoil(f"{OWN}/mistakes.diff", "x / 2", "x /")
    assert main(["validate", "--course", str(toy)]) == 2
    said = capsys.readouterr().err
    assert "TestGradients.test_gradient has no docstring: it is the line people see" in said
    assert "toy.half: not valid Python after the edit: invalid syntax" in said
    assert "next: say in one sentence what must hold" in said


def test_the_command_prints_data_and_ends_with_its_code(
    toy: Path, spoil: Spoil, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(f"{OWN}/mistakes.diff", "x.abs() * 2", "x * 2.0")
    code = main(["validate", "--course", str(toy), "--format", "json", "--exercise", "t1"])
    report = json.loads(capsys.readouterr().out)
    assert code == 1
    assert (report["green"], report["counts"]["killed"]) == (False, 2)
    assert [problem["message"] for problem in report["problems"]] == [
        "toy.size: costs nothing in t1.toy/outputs",
        "toy.size: no check fails it",
        "t1.toy/outputs/test_negative: no longer failed by toy.size",
        "t1.toy/gradients/test_gradient: no longer failed by toy.size",
    ]
    assert report["problems"][0]["file"] == f"{OWN}/mistakes.diff"
    assert report["kills"]["t1.toy/gradients/test_gradient"][-1] == "toy.half"


def test_edits_that_no_check_notices_are_holes_until_a_reason_is_given(toy: Path) -> None:
    def found() -> tuple[str, dict[str, str], list[str]]:
        survey = survey_mutants(find_course(toy), (), Options())
        edits = {e["edit"]: e["noticed_by"] for e in survey_json(survey)["edits"]}
        return survey_text(survey), edits, [str(gap) for gap in survey.gaps]

    text, edits, gaps = found()
    assert edits["another sign: x * 2 -> (x) / (2)"].startswith("t1.toy/outputs/")
    assert edits["detached: x * 2 -> _value(x * 2, lambda t: t.detach())"].startswith("t1.toy/grad")
    survivors = [edit for edit, killer in edits.items() if killer is None]
    assert len(gaps) == len(survivors)
    reasons = [*survivors, "another number: 2 -> 7"]
    (toy / "reference/equal_edits.toml").write_text(
        "".join(
            f"[[edit]]\ndefinition = 't1_toy.double'\nedit = {json.dumps(edit)}\nwhy = 'a test'\n"
            for edit in reasons
        ),
        encoding="utf-8",
    )
    text, _, gaps = found()
    (gap,) = gaps
    line = 4 * len(survivors) + 1
    assert gap.startswith(f"reference/equal_edits.toml:{line}  no edit that survives needs this")
    assert f"{len(survivors)} right for a stated reason" in text
