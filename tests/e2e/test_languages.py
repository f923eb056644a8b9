"""A report in Korean: no English sentence in it, and the same grade as in English."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.course.course import find_course
from grader.course.misconceptions import (
    Misconception,
    MisconceptionError,
    Origin,
    apply_misconception,
)
from grader.validate.data import CourseData, read_course
from tests.support.students_course import students_course
from tools.notebooks import filled_in, stems

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "corpus"
FORMATS = ("json", "markdown", "junit", "text", "html")
# Mistakes that are known and such that are only seen, a file that cannot be read, what hangs, ends
# or was not written, notes of every kind, and a rule that was broken.
STUDENTS = (
    "decoder_four_mistakes",
    "mask_inverted",
    "vit_parts_five_mistakes",
    "syntax_error",
    "exit_in_call",
    "infinite_loop",
    "notebook_cell_raises",
    "both_kinds_edited",
    "file_of_another_assignment",
    "follow_called",
)
WAYS = {"fork": ("--isolation", "none"), "spawn": ("--spawn", "--isolation", "none")}
CODE = re.compile(r"`+[^`\n]*(?:`+|$)", re.MULTILINE)
PATH = re.compile(r"\S*[/.]\S*")
SENTENCE = re.compile(r"[A-Za-z][a-z'’]+(?:,? [A-Za-z][a-z'’]+){2,}")
# Of books, in the sources of explanations.
TITLE = re.compile(r'"[A-Z][^"\n]{,80}"')
# Words that no translation touches: commands and their options.
# Particles of which a reader has to choose one.
BOTH_FORMS = re.compile(r"이\(가\)|가\(이\)|[을은]\([를는]\)|와\(과\)|과\(와\)|\(으\)로|\(이\)라")
SNIPPET = re.compile(r"^( *)import torch\n(?:(?:\1(?!</pre>).*)?\n)*", re.MULTILINE)
CALL = re.compile(r"\b\w+\((?:\w+,\s+)*\w+\)")
COMMANDS = re.compile(r"grader (?:check|explain|doctor)[^\n)]*")


@cache
def criteria() -> re.Pattern[str]:
    """The names of criteria, which are the same in every language."""
    exercises = find_course(ROOT).rubric.exercises.values()
    names = sorted({name for exercise in exercises for name in exercise.criteria})
    return re.compile(rf"\b(?:{'|'.join(names)})\b")


def comments(snippet: re.Match[str]) -> str:
    """The comments of the lines to paste into a notebook: the rest is code."""
    return "\n".join(line for line in snippet[0].split("\n") if line.lstrip().startswith("#"))


def english(text: str, wrapped: bool = False) -> list[str]:
    """The runs of three English words in a text, but for code, commands, paths and criteria.

    `wrapped`: code may go on in the next line.
    """
    if wrapped:
        text = CALL.sub(" ; ", re.sub(r"`[^`]*`", " ; ", text))
    plain = re.sub(r"^\s*`{3,}\w*$", "", text, flags=re.MULTILINE)
    for pattern in (CODE, COMMANDS, PATH, criteria()):
        plain = pattern.sub(" ; ", plain)
    return SENTENCE.findall(plain)


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A `grader` command in a terminal that speaks the language of `environ`."""
    kept = {k: v for k, v in os.environ.items() if k not in ("LANGUAGE", "LC_ALL", "LC_MESSAGES")}
    return subprocess.run(
        [sys.executable, "-m", "grader", *words],
        cwd=ROOT,
        env={**kept, "COLUMNS": "100", "NO_COLOR": "1", **environ},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )


@cache
def reports(student: str, language: str, way: str, folder: Path) -> Mapping[str, str]:
    """One submission's report in every format."""
    files = {name: folder / f"{student}.{language}.{way}.{name}" for name in FORMATS}
    wanted = [word for name, file in files.items() for word in ("--report", f"{name}={file}")]
    place = (CORPUS / student).relative_to(ROOT)
    done = run("check", str(place), *WAYS[way], "--lang", language, *wanted, LANG="C.UTF-8")
    assert done.returncode in (0, 1, 3), done.stderr
    return {name: file.read_text(encoding="utf-8") for name, file in files.items()}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


def said(report: Any, key: str = "") -> Iterator[str]:
    """Every text of a report for programs that a person would read."""
    if isinstance(report, dict):
        for name, value in report.items():
            if name not in ("isolation", "timings", "entries", "answers"):
                yield from said(value, name)
    elif isinstance(report, list):
        for value in report:
            yield from said(value, key)
    elif isinstance(report, str) and key in ("title", "observed", "expected", "text", "notes"):
        yield report


def texts(name: str, report: str) -> list[str]:
    """What a person reads of a report in the format `name`."""
    if name == "json":
        return list(said(json.loads(report)))
    if name == "html":
        plain = re.sub(r"<(style|code)\b.*?</\1>", " ; ", report, flags=re.DOTALL)
        read = html.unescape(re.sub(r"<[^>]*>", " ; ", plain))
        return [TITLE.sub(" ; ", read)]
    plain = SNIPPET.sub(comments, report)
    if name == "markdown":
        return [html.unescape(re.sub(r"^</?pre>$", "", plain, flags=re.MULTILINE))]
    return [plain]


def verdicts(report: Mapping[str, Any]) -> dict[str, object]:
    """What a grade is made of, and nothing in words."""
    return {
        seen["check"]: (
            seen["outcome"],
            seen["precision"],
            seen["where"],
            seen["cause"] and {**seen["cause"], "text": ""},
        )
        for exercise in report["exercises"]
        for seen in exercise["checks"]
    } | {"points": report["points"], "max_points": report["max_points"]}


@pytest.mark.parametrize("student", STUDENTS)
def test_a_korean_report_holds_no_english_sentence(student: str, folder: Path) -> None:
    for name, text in reports(student, "ko", "fork", folder).items():
        found = [words for one in texts(name, text) for words in english(one, name == "text")]

        assert found == [], name


@pytest.mark.parametrize("student", STUDENTS)
def test_a_korean_report_chooses_one_form_of_each_particle(student: str, folder: Path) -> None:
    found = reports(student, "ko", "fork", folder)

    assert {name: BOTH_FORMS.findall(text) for name, text in found.items()} == {
        name: [] for name in FORMATS
    }


def test_korean_records_of_the_corpus_choose_one_form_of_each_particle(tmp_path: Path) -> None:
    course, out = students_course(ROOT, tmp_path / "course"), tmp_path / "out"
    done = run(
        "batch", str(CORPUS), "--course", str(course), "--out", str(out), "-j", "2",
        "--isolation", "none", "--lang", "ko",
    )  # fmt: skip
    assert done.returncode in (0, 1, 3), done.stderr
    records = [path.read_text(encoding="utf-8") for path in (out / "records").iterdir()]

    assert len(records) >= 70
    assert sum("에러" in text or "Error" in text for text in records) >= 5
    assert [found for text in records for found in BOTH_FORMS.findall(text)] == []


@pytest.mark.parametrize("student", STUDENTS)
def test_an_english_report_holds_english_sentences(student: str, folder: Path) -> None:
    """The positive control: in each format, the same search finds them."""
    found = reports(student, "en", "fork", folder)

    assert {name for name, text in found.items() if any(map(english, texts(name, text)))} == set(
        FORMATS
    )
    assert "총점" not in found["text"]


@pytest.mark.parametrize("student", STUDENTS)
def test_the_grade_is_the_same_in_both_languages(student: str, folder: Path) -> None:
    both = [json.loads(reports(student, one, "fork", folder)["json"]) for one in ("en", "ko")]

    assert verdicts(both[0]) == verdicts(both[1])


@pytest.mark.parametrize("student", ["syntax_error", "notebook_cell_raises"])
def test_processes_that_are_started_anew_speak_korean_too(student: str, folder: Path) -> None:
    found = reports(student, "ko", "spawn", folder)
    notes = json.loads(found["json"])["notes"]

    assert [words for one in said(json.loads(found["json"])) for words in english(one)] == []
    assert any("파일의 나머지는 불러왔습니다" in note["text"] for note in notes)


def with_a_mistake_in_each(data: CourseData, stem: str) -> tuple[str, int]:
    """The Korean hand-out of an assignment, solved with one known mistake in each definition that
    takes one; and how many these are."""
    handed_out = (data.course.handouts("ko") / f"{stem}.py").read_text("utf-8")
    text, done = filled_in(handed_out, stem), set[str]()
    for each in data.misconceptions:
        assert isinstance(each.entry, Misconception)
        definition = each.entry.target.partition(".")[0]
        if each.stem == stem and definition not in done:
            with suppress(MisconceptionError):
                text = apply_misconception(text, each.entry, Origin(each.place, {}))
                done.add(definition)
    return text, len(done)


def test_a_korean_hand_out_with_mistakes_gets_a_korean_report(tmp_path: Path) -> None:
    data, made = read_course(find_course(ROOT)), 0
    (tmp_path / "work").mkdir()
    for stem in stems():
        text, count = with_a_mistake_in_each(data, stem)
        (tmp_path / "work" / f"{stem}.py").write_text(text, "utf-8")
        made += count
    files = {name: tmp_path / f"report.{name}" for name in FORMATS}
    wanted = [word for name, file in files.items() for word in ("--report", f"{name}={file}")]

    done = run(
        "check", str(tmp_path / "work"), "--course", str(ROOT), "--lang", "ko", *wanted,
        LANG="C.UTF-8",
    )  # fmt: skip

    assert done.returncode == 1, done.stderr
    assert made >= 30
    for name, file in files.items():
        found = texts(name, file.read_text("utf-8"))
        assert [words for one in found for words in english(one, name == "text")] == [], name
    report = json.loads(files["json"].read_text("utf-8"))
    seen = [check for exercise in report["exercises"] for check in exercise["checks"]]
    causes = {check["cause"]["id"] for check in seen if check["cause"]}
    assert len(causes) >= 20
    assert all(re.search("[가-힣]", check["cause"]["text"]) for check in seen if check["cause"])


@pytest.mark.parametrize(
    ("words", "environ", "language"),
    [
        pytest.param((), {"LANG": "ko_KR.UTF-8"}, "ko", id="environment"),
        pytest.param((), {"LANG": "en_US.UTF-8"}, "en", id="English environment"),
        pytest.param(("--lang", "en"), {"LANG": "ko_KR.UTF-8"}, "en", id="option over it"),
        pytest.param(("--lang", "ko"), {"LANG": "C.UTF-8"}, "ko", id="option"),
        pytest.param(
            (), {"LANG": "ko_KR.UTF-8", "PYTHONIOENCODING": "ascii"}, "en", id="no letters for it"
        ),
    ],
)
def test_who_says_which_language(
    words: tuple[str, ...], environ: dict[str, str], language: str
) -> None:
    done = run("explain", "sdpa.unscaled", *words, **environ)
    told = {"en": "Scores are not divided by √Dh.", "ko": "점수를 √Dh로 나누지 않았습니다."}
    wanted = told[language]
    if environ.get("PYTHONIOENCODING") == "ascii":
        wanted = wanted.replace("√", "?")

    assert done.returncode == 0, done.stderr
    assert wanted in done.stdout


def test_a_language_that_there_is_none_of_is_refused() -> None:
    done = run("check", "--lang", "fr")

    assert done.returncode == 2
    assert "Invalid value for '--lang': 'fr' is not one of 'en', 'ko'." in done.stderr


def test_what_is_wrong_with_a_path_is_said_in_korean(tmp_path: Path) -> None:
    done = run("check", str(tmp_path / "nothing"), "--course", str(ROOT), "--lang", "ko")

    assert done.returncode == 2
    assert f"{tmp_path / 'nothing'}: 그런 파일이나 폴더가 없습니다." in done.stderr


def test_a_class_is_graded_in_english_whatever_the_machine_speaks(tmp_path: Path) -> None:
    (tmp_path / "class" / "student-001").mkdir(parents=True)
    work = (CORPUS / "mask_inverted").glob("*.py")
    for file in work:
        (tmp_path / "class" / "student-001" / file.name).write_bytes(file.read_bytes())
    common = ("batch", str(tmp_path / "class"), "--course", str(ROOT), "--only", "a1.sdpa")
    common = (*common, "--isolation", "none", "-j", "1", "--out")
    texts = {}
    for name, words in {"env": (), "option": ("--lang", "ko")}.items():
        done = run(*common, str(tmp_path / name), *words, LANG="ko_KR.UTF-8")
        assert done.returncode in (0, 1), done.stderr
        texts[name] = (tmp_path / name / "records" / "student-001.json").read_text("utf-8")

    assert english(" ".join(said(json.loads(texts["env"]))))
    assert not english(" ".join(said(json.loads(texts["option"]))))
    assert verdicts(json.loads(texts["env"])) == verdicts(json.loads(texts["option"]))
