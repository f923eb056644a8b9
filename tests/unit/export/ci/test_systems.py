"""A system is recognised by what it documents, and by nothing less."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.export.ci.systems import FOLDERS, System, recognised


@pytest.mark.parametrize(
    ("environment", "system"),
    [
        ({}, System.NONE),
        ({"CI": "true"}, System.NONE),
        ({"GITHUB_ACTIONS": "true"}, System.GITHUB),
        ({"GITHUB_ACTIONS": "false"}, System.NONE),
        ({"GITHUB_ACTIONS": "true", "CLASSROOM50_BUNDLE_DIR": "/b"}, System.CLASSROOM50),
        ({"GITLAB_CI": "true"}, System.GITLAB),
        ({"CODIO_AUTOGRADE_ENV": "{}"}, System.CODIO),
        ({"CODIO_AUTOGRADE_ENV": ""}, System.NONE),
    ],
    ids=str,
)
def test_a_variable_tells_the_system(
    environment: dict[str, str], system: System, tmp_path: Path
) -> None:
    assert recognised(environment, tmp_path) is system


@pytest.mark.parametrize(
    ("path", "system"),
    [
        ("autograder/submission_metadata.json", System.GRADESCOPE),
        ("grade/data/data.json", System.PRAIRIELEARN),
        ("autograder/other.json", System.NONE),
    ],
)
def test_a_file_tells_the_system(path: str, system: System, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).touch()

    assert recognised({}, tmp_path) is system


def test_every_system_has_its_folders() -> None:
    assert set(FOLDERS) == set(System)
    assert FOLDERS[System.GRADESCOPE].reports == Path("/autograder/results")
