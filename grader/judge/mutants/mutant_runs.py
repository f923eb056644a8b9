"""Run checks on references with a known mistake in them, and remember what they saw.

The result depends on no submission, except in a check marked `fresh`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Protocol

from ...grade.evidence import Outcome
from ..calls.client import DirectClient, LocalClient
from ..checks.check_trace import (
    CheckTrace,
    Draw,
    in_short,
    is_same_run,
    numbers_in,
    tells_apart,
)
from ..checks.checks import Check
from ..checks.sketch import Sketch
from ..checks.tracing import TracingDirectClient
from .kill_records import is_firm
from .mutants import MAX_MADE, KnownMistake, Mutants
from .recorded_runs import EarlierRuns, RecordedRuns

MAX_NUMBERS = 1 << 24
"""Numbers kept of what was seen; beyond that all are forgotten, and computed again when asked
for."""

AS_GRADED = Draw()
AGAIN = Draw(inputs="once more")
FURTHER = (AGAIN, Draw(inputs="a third time"), Draw(inputs="a fourth time"))
"""Draws after the one that is graded: of some inputs a mistake and the right answer are alike."""
PROBES = 2
"""Number of independent probes that must tell a mistake from the right answer, and agree with
it."""


class ReferenceRunner(Protocol):
    """Interface: run a check on references."""

    def trace_on_references(
        self,
        check: Check,
        modules: Mapping[str, ModuleType],
        digest: str,
        draw: Draw,
        client: LocalClient,
    ) -> CheckTrace:
        """Run the check on references as if they were a submission."""


class MutantRuns:
    """The values that checks see of known mistakes, and of the reference."""

    def __init__(
        self,
        modules: Mapping[str, ModuleType],
        mutants: Mutants,
        runner: ReferenceRunner,
        recorded: RecordedRuns | None = None,
        kept: EarlierRuns | None = None,
        *,
        traced: bool = False,
    ) -> None:
        """Run nothing yet.

        `recorded`: what a kit knows instead, where nothing can be run. `kept`: what was run before,
        and need not be run again. `traced`: True to note every answer, see `answers_to`; then all
        is run.
        """
        self._recorded, self._kept = recorded, kept
        self._modules, self._mutants, self._runner = modules, mutants, runner
        self._traces: dict[tuple[str, str, Draw], CheckTrace] = {}
        self._changes: dict[tuple[str, str, Draw], bool] = {}
        self._clients: dict[tuple[str, str], tuple[ModuleType, DirectClient]] = {}
        self._numbers = 0
        self._traced = traced
        self._answers: dict[tuple[str, str], list[Sketch]] = {}

    def right(self, check: Check, digest: str, draw: Draw = AS_GRADED) -> CheckTrace:
        """Return what the check sees of the reference."""
        if self._recorded is not None:
            return self._recorded.trace("", check.id, draw) or CheckTrace(Outcome.PASSED)
        return self._remembered("", check, digest, draw, self._modules)

    def of(
        self, mistake: KnownMistake, check: Check, digest: str, draw: Draw = AS_GRADED
    ) -> CheckTrace | None:
        """Return what the check sees of a mistake; None if that does not fit the reference."""
        if self._recorded is not None:
            return self._recorded.trace(mistake.name, check.id, draw)
        known = self._known(mistake.name, check, draw)
        if known is not None:  # so that the mistake need not be made again
            return known
        stem = check.exercise.assignment
        module = self._mutants.made(mistake, stem)
        if module is None:
            return None
        modules = {**self._modules, stem: module}
        is_kept = mistake.beside is None  # of pairs there are too many
        return self._remembered(mistake.name, check, digest, draw, modules, is_kept=is_kept)

    def answers_to(self, mistake: KnownMistake, check: Check) -> list[Sketch] | None:
        """Return what a mistake answered to each call of a check, once; None if nobody noted it."""
        return self._answers.pop((mistake.name, check.id), None)

    def changes(
        self,
        mistake: KnownMistake,
        check: Check,
        digest: str,
        made: CheckTrace,
        draw: Draw = AS_GRADED,
    ) -> bool:
        """Tell whether a check sees something else of a mistake (`made`) than of the reference."""
        if made.outcome is not Outcome.PASSED:
            return True  # the reference passes, and need not be run for that
        key = (mistake.name, check.id, draw)
        known = self._changes.get(key)
        if known is None:
            known = tells_apart(made, self.right(check, digest, draw))
            if not check.fresh:
                self._changes[key] = known
        return known

    def _remembered(
        self,
        name: str,
        check: Check,
        digest: str,
        draw: Draw,
        modules: Mapping[str, ModuleType],
        *,
        is_kept: bool = True,
    ) -> CheckTrace:
        known = self._known(name, check, draw)
        if known is not None:
            return known
        client = self._client(name, check.exercise.assignment, modules)
        trace = self._runner.trace_on_references(check, modules, digest, draw, client)
        if name and isinstance(client, TracingDirectClient) and draw == AS_GRADED:
            self._answers[name, check.id] = client.answers
        if name and not check.fresh and trace.outcome is Outcome.PASSED:
            right = self.right(check, digest, draw)
            trace = right if is_same_run(trace, right) else in_short(trace)
        if not check.fresh:
            self._keep((name, check.id, draw), trace)
        if self._kept is not None and is_kept and is_firm(check):
            self._kept.keep(name, check.id, draw, trace)
        return trace

    def _known(self, name: str, check: Check, draw: Draw) -> CheckTrace | None:
        """Return what the check saw of a mistake before, in this process or another."""
        key = (name, check.id, draw)
        trace = self._traces.get(key)
        # What was kept came without the answers.
        if trace is None and self._kept is not None and is_firm(check) and not self._traced:
            trace = self._kept.trace(*key)
            if trace is not None:
                self._keep(key, trace)
        return trace

    def write(self) -> None:
        """Keep what was run for the next process."""
        if self._kept is not None:
            self._kept.write()

    def _client(self, name: str, stem: str, modules: Mapping[str, ModuleType]) -> DirectClient:
        """Return the client of a mistake, or of the reference, in an assignment."""
        made, client = self._clients.pop((name, stem), (None, None))
        if client is None or made is not modules[stem]:
            make = TracingDirectClient if self._traced else DirectClient
            client = make(lambda stem, name: getattr(modules[stem], name), _no_file)
            client.in_words = False
        self._clients[name, stem] = modules[stem], client  # the latest is last
        if len(self._clients) > MAX_MADE:
            del self._clients[next(iter(self._clients))]
        return client

    def _keep(self, key: tuple[str, str, Draw], trace: CheckTrace) -> None:
        if trace is not self._traces.get(("", *key[1:])):  # what is right is kept once for all
            self._numbers += numbers_in(trace)
        if self._numbers > MAX_NUMBERS:
            self._traces.clear()
            self._clients.clear()
            self._numbers = 0
        self._traces[key] = trace


def _no_file(name: str) -> bool:
    return False
