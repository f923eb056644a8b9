"""What `grader validate` refuses before it grades anything."""

from __future__ import annotations

import pytest

from grader.cli.cli import main


@pytest.mark.parametrize("other", ["--diagnosis", "--mutants"])
def test_tables_write_no_records(other: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The option was taken and did nothing."""
    assert main(["validate", "--write", other]) == 2
    assert "run --write by itself" in capsys.readouterr().err
