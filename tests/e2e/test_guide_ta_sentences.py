"""What the guide for teaching assistants says to type in its sentences is typed, in its order."""

from __future__ import annotations

import csv
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest

from grader.cli.cli import main
from tests.support.guide import ROOT, RUBRIC, commands_in_sentences

pytestmark = pytest.mark.usefixtures("warm_nursery")
TOY = ROOT / "tests" / "toy_course"
GUIDE = (ROOT / "docs" / "guide-ta.md").read_text(encoding="utf-8")
RIGHT, SWAPPED = "return right, down", "return down, right"
STUDENTS = {"student-001": RIGHT, "student-002": SWAPPED, "student-003": SWAPPED}
CLASS = "submissions/ --out results/"
HERE = {
    "grader batch …": f"grader batch {CLASS}",
    "grader batch --lang ko": f"grader batch {CLASS} --lang ko",
    "grader export --as": "grader export results/ --as",
    "grader-1.csv …": "grader-1.csv",
    "RESULTS --as FORMAT": "results/ --as csv",
    "STUDENT SLUG": "student-002 f1.sobel --in results/",
    "<id>": "student-002",
}
"""What stands for something that the reader knows."""
TYPED = {
    "grader batch submissions.zip --out results/": (1, "3 submissions"),
    "grader batch … --attempt best": (1, "3 submissions"),
    "grader check --format json": (1, '"format": "grader.report/1"'),
    "grader check submissions/<id> --report html=<id>.html": (1, "1 / 6 points automatic"),
    "grader batch submissions/ --out results/ --roster roster.csv": (1, "3 of 3 were graded"),
    "grader regrade results/": (0, "3 students: 0 up, 0 down"),
    "grader batch submissions/ --out results/": (1, "3 of 3 were graded"),
    "grader gradebook results/": (0, "3 submissions, none graded again"),
    "grader marking results/ --graders 3 --double 10": (
        0,
        "names: only in results/marking/codes.csv",
    ),
    "grader marking results/ --graders 3": (0, "names: only in results/marking/codes.csv"),
    "grader gradebook results/ --written-points results/marking/grader-1.csv …": (0, "none graded"),
    "grader export --as pages": (0, "3 students with a page"),
    "grader appeal --list --in results/": (0, "no appeals so far"),
    "grader why STUDENT SLUG": (0, "test_a_ramp_downwards"),
    "grader lens results/": (0, "no two students have the same wrong numbers"),
    "grader lens results/ --write": (0, "no two students have the same wrong numbers"),
    "grader export RESULTS --as FORMAT": (1, "nobody has given points for f1.why"),
    "grader batch --lang ko": (1, "3 submissions"),
    "grader doctor --isolation": (0, "memory is bounded"),
    "grader batch --help": (0, "--attempt"),
}
"""In the order of the guide, each with its exit code, which is 1 where points are missing, and
words that it prints."""
ELSEWHERE = {
    "grader collect … --pushes pushes.csv --each-push": "unit/batch/test_collecting.py",
    "grader merge results/ part-*": "e2e/test_guide_ta.py",
    "grader batch submissions/ --out results/ --cluster dask://HOST:8786": "e2e/test_cluster.py",
}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a class in a folder and in the zip of a system, and its roster."""
    root = tmp_path_factory.mktemp("sentences") / "course"
    shutil.copytree(TOY, root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "rubric.yaml").write_text(RUBRIC, encoding="utf-8")
    (root / "roster.csv").write_text("\n".join(("login", *STUDENTS)), encoding="utf-8")
    text = (TOY / "reference" / "f1_filters.py").read_text("utf-8")
    assert text.count(RIGHT) == 1
    with zipfile.ZipFile(root / "submissions.zip", "w") as archive:
        for student, line in STUDENTS.items():
            (root / "submissions" / student).mkdir(parents=True)
            path = root / "submissions" / student / "f1_filters.py"
            path.write_text(text.replace(RIGHT, line), encoding="utf-8")
            answers = path.with_name("answers.md")
            answers.write_text("# f1.why\n\nOne for each direction.\n", encoding="utf-8")
            archive.write(path, f"{student}/f1_filters.py")
            archive.write(answers, f"{student}/answers.md")
    return root


def test_each_command_in_a_sentence_is_typed_here_or_elsewhere() -> None:
    spoken = dict.fromkeys(one for one in commands_in_sentences(GUIDE) if len(one.split()) > 2)
    assert [one for one in spoken if one not in ELSEWHERE] == [*TYPED]
    assert [one for one in ELSEWHERE if one not in spoken] == []
    assert all((ROOT / "tests" / test).is_file() for test in ELSEWHERE.values())


def test_the_commands_do_what_the_sentences_say(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(course)
    monkeypatch.setenv("LANGUAGE", "en")
    said: dict[str, tuple[int, str]] = {}
    for written in TYPED:
        line = written
        for guides, ours in HERE.items():
            line = line.replace(guides, ours)
        code = main(shlex.split(line)[1:])
        printed = "".join(capsys.readouterr())
        words = TYPED[written][1]
        said[written] = (code, words if words in printed else printed)

    assert said == TYPED
    with (course / "results" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        assert {row["id"]: row["automatic"] for row in csv.DictReader(file)} == {
            "student-001": "6", "student-002": "1", "student-003": "1",
        }  # fmt: skip
    assert (course / "student-002.html").is_file()
