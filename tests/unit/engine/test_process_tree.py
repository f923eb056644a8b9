"""The process tree that is under way before anybody knows what is to be graded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.engine.lanes import NurseryStarter
from grader.engine.process_tree import TorchMissing, begin


def test_closing_ends_what_was_started_and_once_is_enough() -> None:
    with begin(spawn=False) as begun:
        starter = begun.starter
        if not isinstance(starter, NurseryStarter):
            pytest.skip("nothing is forked here")
        Path(f"/proc/{starter.pid}").stat()
    begun.close()
    assert not Path(f"/proc/{starter.pid}").exists()
    assert begun.errors.closed
    for fd in begun.bootstrap.stack_fds:
        with pytest.raises(OSError):
            os.fstat(fd)


def test_a_missing_torch_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.processes.bootstrap.STACK", ("torch", "a_stack_that_nobody_has"))
    with pytest.raises(TorchMissing, match=r"a_stack_that_nobody_has .* grader doctor"):
        begin(spawn=False)
