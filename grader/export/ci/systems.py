"""Recognise the system that runs this process by the variables and paths that it documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class System(StrEnum):
    """The systems that `grader ci` reports to."""

    GITHUB = "github"
    GITLAB = "gitlab"
    GRADESCOPE = "gradescope"
    PRAIRIELEARN = "prairielearn"
    CLASSROOM50 = "classroom50"
    CODIO = "codio"
    NONE = "none"


@dataclass(frozen=True)
class Folders:
    """The folders of a system, if nobody names others: of the submission, and of the reports."""

    submission: Path
    reports: Path


_HERE = Path()
_REPORTS = Path("grader-report")
FOLDERS = {
    **dict.fromkeys(System, Folders(_HERE, _REPORTS)),
    System.GRADESCOPE: Folders(Path("/autograder/submission"), Path("/autograder/results")),
    System.PRAIRIELEARN: Folders(Path("/grade/student"), Path("/grade/results")),
    # Its result.json is looked for in the folder of the submission's checkout.
    System.CLASSROOM50: Folders(_HERE, _HERE),
}
_VARIABLES = (
    # It runs within GitHub Actions, so it is looked for first.
    (System.CLASSROOM50, "CLASSROOM50_BUNDLE_DIR", None),
    (System.GITHUB, "GITHUB_ACTIONS", "true"),
    (System.GITLAB, "GITLAB_CI", "true"),
    (System.CODIO, "CODIO_AUTOGRADE_ENV", None),
)
_PATHS = (
    (System.GRADESCOPE, "autograder/submission_metadata.json"),
    (System.PRAIRIELEARN, "grade/data/data.json"),
)


def recognised(environment: Mapping[str, str], root: Path = Path("/")) -> System:
    """Return the system that set these variables, or that made its files below `root`.

    >>> recognised({"GITHUB_ACTIONS": "true"}), recognised({"GITHUB_ACTIONS": "no"}, Path("none"))
    (<System.GITHUB: 'github'>, <System.NONE: 'none'>)
    """
    for system, name, value in _VARIABLES:
        if environment.get(name) and value in (None, environment[name]):
            return system
    return next((system for system, path in _PATHS if (root / path).is_file()), System.NONE)
