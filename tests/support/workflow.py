"""Runs the `run:` steps of a GitHub Actions workflow as the runner would, as they are written."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

FILES = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
# A string, an operator, a function, or a value such as `steps.grade.outputs.code`.
_TOKEN = re.compile(r"'[^']*'|&&|\|\||[!=]=|hashFiles\([^)]*\)|always\(\)|[A-Za-z_][\w.-]*|\s+")
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_OPERATORS = {"&&": " and ", "||": " or ", "==": " == ", "!=": " != "}


@dataclass(frozen=True)
class Done:
    """What became of one `run:` step."""

    name: str
    code: int
    log: str
    files: Mapping[str, str]
    """By the name of the variable that held the path: `GITHUB_OUTPUT`, `GITHUB_STEP_SUMMARY`…"""


@dataclass
class Runner:
    """A runner with one checkout as its workspace."""

    workspace: Path
    values: dict[str, str] = field(default_factory=dict)
    """`vars.NAME`, `steps.ID.outputs.NAME` and the like; what is not there is empty."""
    environment: Mapping[str, str] = field(default_factory=dict)
    done: list[Done] = field(default_factory=list)

    def run(self, workflow: Mapping[str, object]) -> int:
        """The exit code of the first step that fails, else 0; after it `always()` steps are run."""
        failed = 0
        for step in steps(workflow):
            condition = step.get("if", "true")
            if failed and "always()" not in condition:
                continue
            if "run" not in step or not self.holds(condition):
                continue
            done = self._run_step(workflow, step)
            self.done.append(done)
            for line in done.files["GITHUB_OUTPUT"].splitlines():
                name, _, value = line.partition("=")
                self.values[f"steps.{step.get('id', '')}.outputs.{name}"] = value
            failed = failed or done.code
        return failed

    def holds(self, condition: str) -> bool:
        return bool(self._value(condition)) and self._value(condition) != "false"

    def filled(self, text: object) -> str:
        """`text` with every `${{ … }}` as its value."""
        return _EXPRESSION.sub(lambda found: str(self._value(found[1])), str(text))

    def _value(self, expression: str) -> object:
        parts = _TOKEN.findall(expression)
        if "".join(parts) != expression:
            raise ValueError(f"an expression that is not understood: {expression!r}")
        # Every name is replaced by its value as a literal, so that nothing but operators is run.
        return eval("".join(map(self._operand, parts)).strip(), {"__builtins__": {}})

    def _operand(self, token: str) -> str:
        if token.isspace() or token in _OPERATORS:
            return _OPERATORS.get(token, " ")
        if token.startswith("'"):
            return repr(token[1:-1])
        if token in ("true", "always()"):
            return "True"
        return repr(self.values.get(token, ""))

    def _run_step(self, workflow: Mapping[str, object], step: Mapping[str, str]) -> Done:
        folder = self.workspace.parent / "runner" / str(len(self.done))
        folder.mkdir(parents=True)
        for name in FILES:
            (folder / name).touch()
        script = folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        given = {**_mapping(workflow.get("env")), **_mapping(step.get("env"))}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace,
            env={
                **os.environ,
                **{name: self.filled(value) for name, value in given.items()},
                **{name: str(folder / name) for name in FILES},
                "RUNNER_TEMP": self.values.get("runner.temp", str(folder)),
                **self.environment,
                "GITHUB_ACTIONS": "true",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        files = {name: (folder / name).read_text(encoding="utf-8") for name in FILES}
        return Done(step["name"], done.returncode, done.stdout, files)


def read(path: Path) -> dict[str, object]:
    """The workflow in a file."""
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(workflow, dict)
    return workflow


def steps(workflow: Mapping[str, object]) -> Iterator[Mapping[str, Any]]:
    """The steps of every job, in order."""
    for job in _mapping(workflow["jobs"]).values():
        yield from _mapping(job)["steps"]


def commands(log: str) -> list[str]:
    """The workflow commands that a runner would carry out while it reads a log."""
    found: list[str] = []
    until: str | None = None
    for line in log.splitlines():
        if until is not None:
            until = None if line.strip() == f"::{until}::" else until
        elif line.lstrip().startswith("::stop-commands::"):
            until = line.strip().removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::") or "##[" in line:
            found.append(line.strip())
    return found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
