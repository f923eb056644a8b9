"""Attacks on whoever grades a submission where it lies: what is in it is run, with their rights.

The folder holds a course of its own, and files named like what the grader imports. Each of them
leaves its name at a witness outside of the folder when it is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.attack.attack import STEM

CODE = f"{STEM}.py"
WORK = "def work(x):\n    return x * 3 - 1\n"
RUN_BY_NAME = (
    "torch", "numpy", "einops", "click", "yaml", "pytest", "rich", "sitecustomize",
    "usercustomize", "conftest", "selectors", "cli",
)  # fmt: skip
"""Modules that a student's file may pretend to be."""
RUBRIC = f"""\
course: theirs
seed: theirs
assignments: {{t1: {STEM}}}
exercises:
  t1.work:
    targets: [work]
    criteria:
      outputs: {{points: 2, visibility: public}}
"""
SUITE = '''
class TestOutputs:
    def test_values(self, student, expect):
        """Full marks for everybody."""
        expect.true(True, observed="", expected="")
'''
SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = -p conftest\n",
    ".env": "PYTHONPATH=.\nGRADER_DEBUG=1\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p conftest'\n",
}


@dataclass(frozen=True)
class Visit:
    """A command that somebody types beside, in or above a submission."""

    id: str
    here: str
    """The working folder, beneath one that holds `course`, `class` and `elsewhere`."""
    arguments: tuple[str, ...]
    """`{root}` stands for the folder that holds all."""
    finds: str
    """What the command says, on either stream."""
    module: bool = False
    """Whether it is typed as `python -m grader`."""
    within_course: bool = False
    """Whether the class lies in the course's own folder."""


NAMED = ("--course", "{root}/course", "--only", "t1.work")
NO_COURSE = "not inside a course"
GRADED = "arena"
VISITS = (
    Visit("beside", "elsewhere", ("check", "{root}/class/student-001"), NO_COURSE),
    Visit("above", "class", ("check", "student-001"), NO_COURSE),
    Visit("inside", "class/student-001", ("check", "."), "is not used"),
    Visit("inside-one-file", "class/student-001", ("check", CODE), "is not used"),
    Visit("deeper", "class/student-001/tests", ("check", ".."), "is not used"),
    Visit("batch-inside", "class/student-001", ("batch", "..", "--out", "{root}/out"), "is not"),
    Visit("batch-above", "class", ("batch", ".", "--out", "{root}/out"), NO_COURSE),
    Visit(
        "in-a-course",
        "course/class/student-001",
        ("check", ".", "--only", "t1.work"),
        GRADED,
        within_course=True,
    ),
    Visit("as-a-module", "class/student-001", ("check", ".", *NAMED), GRADED, module=True),
)


def plant(folder: Path, witness: Path) -> None:
    """Fill the folder of a submission with all that somebody could run by mistake."""
    files = {
        CODE: WORK,
        "rubric.yaml": RUBRIC,
        f"assignments/{CODE}": WORK,
        f"reference/{CODE}": told(witness, "reference") + WORK,
        f"tests/suites/{STEM}/public/test_work.py": told(witness, "suite") + SUITE,
        "tests/suites/conftest.py": told(witness, "suites' conftest"),
        **{f"{name}.py": told(witness, name) for name in RUN_BY_NAME},
        "x.pth": f"import os; open({str(witness)!r}, 'a').write('pth ')\n",
        **SETTINGS,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def told(witness: Path, name: str) -> str:
    return f"with open({str(witness)!r}, 'a') as file:\n    file.write({name + ' '!r})\n\n"
