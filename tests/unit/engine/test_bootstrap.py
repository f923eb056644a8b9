"""A new process imports without looking for garbage, and looks for it as soon as it runs."""

from __future__ import annotations

import base64
import json
import marshal
import os
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import ClassVar

from grader.processes.bootstrap import (
    BOOT,
    ENVIRONMENT,
    FLAGS,
    Bootstrap,
    _interpreter,
    compiled,
    pack,
    spawn,
)

PROBE = """
import gc, json, os
kept = [[] for _ in range(1000)]
while_importing = gc.isenabled()
def main(message):
    seen = [while_importing, gc.isenabled(), gc.get_freeze_count() > 1000]
    os.write(message["order"]["answer"], json.dumps(seen).encode())
"""


@dataclass(frozen=True)
class ProbeOrder:
    entry: ClassVar[str] = "probe:main"
    answer: int


def test_garbage_is_looked_for_after_the_import_and_not_in_what_it_left() -> None:
    bootstrap = Bootstrap(
        modules={"probe": (compiled("probe", PROBE), False)},
        stack=(),
        stack_fds=(),
        python=(_interpreter(), *FLAGS),
        boot=BOOT,
        environment=dict(ENVIRONMENT),
        language="en",
        texts=None,
    )
    answer, end = os.pipe()
    pid = spawn(bootstrap, ProbeOrder(end), (end,))
    os.close(end)
    with os.fdopen(answer, "rb") as file:
        while_importing, while_running, is_frozen = json.loads(file.read())
    os.waitpid(pid, 0)

    assert not while_importing
    assert while_running
    assert is_frozen


def _files(code: CodeType) -> Iterator[str]:
    yield code.co_filename
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _files(each)


def test_shipped_code_names_a_module_in_place_of_a_file() -> None:
    bootstrap = pack()
    for fd in bootstrap.stack_fds:
        os.close(fd)
    for name, (shipped, _is_package) in bootstrap.modules.items():
        code = marshal.loads(base64.b64decode(shipped))
        assert {*_files(code)} == {f"<{name}>"}
    assert bootstrap.modules["grader.worker"][1]
    assert not bootstrap.modules["grader.worker.main"][1]
