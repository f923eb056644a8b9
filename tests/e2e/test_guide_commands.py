"""Every command of the guides for students and for editors is run as it stands.

On the course of the tests, which is graded quickly, except what only reads words of this one. What
is not run here names the test that runs it, as do commands in sentences of the other guides.
"""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.cli.cli import main
from tests.support.guide import ROOT, blocks, commands_in_sentences

pytestmark = pytest.mark.usefixtures("warm_nursery")
TOY = ROOT / "tests" / "toy_course"
HERE = {
    ".venv/bin/grader": "grader",
    "a1.sdpa": "f1.blur",
    "--only a2": "--only f2",
    "path/to/a1_attention.py": "assignments/f1_filters.py",
}
"""What has another name in the course of the tests."""


@dataclass(frozen=True)
class Expected:
    """What comes of a command: its exit code, words that it prints, and a file that it writes."""

    code: int
    words: str
    file: str = ""


STUDENT = {
    ".venv/bin/grader start work": Expected(0, "work", "work/f1_filters.py"),
    ".venv/bin/grader check work": Expected(1, "0 / 20 points"),
    ".venv/bin/grader check": Expected(1, "0 / 20 points"),
    ".venv/bin/grader check --only a1.sdpa": Expected(1, "0 / 8 points"),
    ".venv/bin/grader check --only a2": Expected(1, "0 / 6 points"),
    ".venv/bin/grader check path/to/a1_attention.py": Expected(1, "f1.sobel"),
    "grader check work --report html=report.html": Expected(1, "", "report.html"),
    "grader start work --lang ko": Expected(0, "work", "work/f1_filters.py"),
    "grader check --lang ko": Expected(1, "0 / 20점"),
    "grader check hand-in.zip": Expected(1, "0 / 20 points"),
    ".venv/bin/grader doctor": Expected(0, "grader check"),
}
WORDS = {
    "grader explain sdpa.unscaled": Expected(0, "√"),
    "grader explain sdpa.unscaled --hint 1": Expected(0, "hint 1 of 3"),
    "grader explain a1.sdpa/masking": Expected(0, "masking"),
}
"""What reads words of this course, and grades nothing."""
ELSEWHERE = {
    ".venv/bin/grader check --warm work": "e2e/test_warm_check.py",
    ".venv/bin/grader check --watch work": "e2e/test_watch.py",
    "grader check --watch": "e2e/test_watch.py",
    'eval "$(_GRADER_COMPLETE=bash_source grader)"': "unit/cli/test_completion.py",
    'eval "$(_GRADER_COMPLETE=zsh_source grader)"': "unit/cli/test_completion.py",
    "_GRADER_COMPLETE=fish_source grader | source": "unit/cli/test_completion.py",
    ".venv/bin/pip install -c constraints.txt -e '.[notebook]'": "e2e/test_make.py",
    "pytest --grader": "e2e/test_pytest_items.py",
    ".venv/bin/grader start work --ipynb && .venv/bin/jupyter lab work": "e2e/test_run_all.py",
}
AUTHOR = {
    "grader stubs old.ipynb --out release/": Expected(0, "wrote release/old.ipynb"),
    "grader check --causes": Expected(1, "0 / 20 points"),
    "grader release --no-checks --out kit": Expected(0, "kit", "kit/README.md"),
    "grader validate --diagnosis": Expected(0, "named"),
}
"""Commands in sentences of the other guides."""
AUTHOR_ELSEWHERE = {
    "grader lens RESULTS": ("e2e/test_guide_ta_sentences.py", '"grader lens results/"'),
    "grader batch --attempt": ("e2e/test_guide_ta_sentences.py", '"grader batch … --attempt best"'),
    "grader export --as gradescope": ("unit/cli/commands/test_export.py", 'export("gradescope"'),
    "grader export --as nbgrader": ("e2e/test_guide_migration.py", '"export"'),
    "grader release --out KIT": ("e2e/test_kit_checks.py", 'main(["release", "--out"'),
    "grader release --sealed": ("unit/release/test_sealing.py", 'main(["release", "--sealed"'),
}
"""The test of each of the others, and the text in it that types the command."""
PAGES = {
    "editors.md": "e2e/test_guide_commands.py",
    "guide-author.md": "e2e/test_guide_author.py",
    "guide-ci.md": "e2e/test_guide_ci.py",
    "guide-migration.md": "e2e/test_guide_migration.py",
    "guide-student.ko.md": "e2e/test_guide_commands.py",
    "guide-student.md": "e2e/test_guide_commands.py",
    "guide-ta.md": "e2e/test_guide_ta_commands.py",
    "package.md": "e2e/test_wheel.py",
    "sealed.md": "e2e/test_sealed_course.py",
}
"""The pages with commands, and the test that runs them, or says what does."""


def commands(guide: str) -> list[str]:
    """Return the lines of a guide's blocks for a terminal, without comments and prompts."""
    text = (ROOT / "docs" / guide).read_text(encoding="utf-8")
    lines = (line for block in blocks(text) for line in block.text.splitlines()
             if block.kind in ("", "console"))  # fmt: skip
    bare = (re.split(r"\s+#", line)[0].removeprefix("$ ").strip() for line in lines)
    return [line for line in bare if re.match(r"\S*(grader|pytest|pip|eval)\b|_GRADER", line)]


def spoken(page: str) -> list[str]:
    """Return the commands in a page's sentences that are more than the name of one."""
    found = commands_in_sentences((ROOT / page).read_text(encoding="utf-8"))
    return [one for one in found if len(one.split()) > 2 or one.startswith(".venv")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the course, as a student has it, in which one command follows the other."""
    root = tmp_path_factory.mktemp("guide") / "course"
    shutil.copytree(TOY, root, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "docs/examples/otter/ps1.ipynb", root / "old.ipynb")
    shutil.make_archive(str(root / "hand-in"), "zip", root / "assignments")
    return root


def test_each_command_of_the_guides_is_run() -> None:
    pages = ("guide-student.md", "editors.md")
    written = [one for page in pages for one in (*commands(page), *spoken(f"docs/{page}"))]
    assert {*written} == {*STUDENT, *WORDS, *ELSEWHERE}
    assert all((ROOT / "tests" / test).is_file() for test in ELSEWHERE.values())


def test_each_command_in_a_sentence_of_another_guide_is_run() -> None:
    guides = (f"docs/guide-{one}.md" for one in ("author", "ci", "migration"))
    written = [one for page in ("README.md", *guides, "docs/sealed.md") for one in spoken(page)]
    assert {*written} - {*STUDENT} == {*AUTHOR, *AUTHOR_ELSEWHERE}
    for test, text in AUTHOR_ELSEWHERE.values():
        assert text in (ROOT / "tests" / test).read_text(encoding="utf-8")


def test_a_page_with_commands_has_a_test_for_them() -> None:
    pages = (path.name for path in sorted((ROOT / "docs").glob("*.md")))

    assert [page for page in pages if commands(page)] == [*PAGES]
    for page, test in PAGES.items():
        assert page in (ROOT / "tests" / test).read_text(encoding="utf-8")


def test_the_korean_guide_has_the_commands_of_the_english_one() -> None:
    korean = [one.replace(" --lang ko", "") for one in commands("guide-student.ko.md")]
    assert korean == commands("guide-student.md")


@pytest.mark.parametrize(
    ("command", "expected"), [*STUDENT.items(), *AUTHOR.items()], ids=[*STUDENT, *AUTHOR]
)
def test_a_command_does_what_the_guide_says(
    command: str,
    expected: Expected,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LANGUAGE", "en")
    for guides, ours in HERE.items():
        command = command.replace(guides, ours)

    assert main(shlex.split(command)[1:]) == expected.code

    assert expected.words in capsys.readouterr().out
    assert not expected.file or (folder / expected.file).is_file()


@pytest.mark.parametrize(("command", "expected"), WORDS.items(), ids=WORDS)
def test_a_cause_is_explained(
    command: str,
    expected: Expected,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LANGUAGE", "en")

    assert main(shlex.split(command)[1:]) == expected.code
    assert expected.words in capsys.readouterr().out
