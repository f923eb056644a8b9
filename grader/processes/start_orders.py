"""Define what a process is told that is started by exec, and where it begins.

A descriptor has the same number in the new process. Parent and process trust each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol


class StartOrder(Protocol):
    """A frozen dataclass: its fields are what the process is told."""

    entry: ClassVar[str]
    """`module:function` that is called in the new process."""
    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True)
class NurseryOrder:
    """The nursery that is to be started."""

    entry: ClassVar[str] = "grader.processes.nursery:main"
    control: int
    """Its socket to the parent."""


@dataclass(frozen=True)
class JudgeOrder:
    """A judge that is to be a process of its own."""

    entry: ClassVar[str] = "grader.processes.nursery:judge_main"
    channel: int
    """Its socket to the parent."""
    source: int
    """Its socket to the process that starts its workers."""


@dataclass(frozen=True)
class SpawnerOrder:
    """The process that is to start workers by exec."""

    entry: ClassVar[str] = "grader.processes.spawner:main"
    control: int
    """Its socket to the judge."""
    scratch: str
    """The folder in which workers get folders."""


@dataclass(frozen=True)
class SpawnOrder:
    """The worker that is to be started: the numbers of its descriptors, its limits, its folder."""

    entry: ClassVar[str] = "grader.processes.spawner:worker_main"
    socket: int
    output: int
    tally: int
    limits: Mapping[str, int]
    scratch: str
