"""Keep the details of a failed comparison for diagnosis; no check is decided by them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from ...text.language import _
from ...wire.faults import Violation
from ..calls.client import Client
from ..calls.faults import CheckFailed, NotRecorded, SourceGone, Starved, StudentFault
from ..calls.handles import RemoteFunction
from ..compare.ignored import ignored_argument
from ..compare.leaks import Leaks, leaks, mixes_samples, sequence_of
from .check_trace import FailedComparison, is_large

Function = Callable[..., Any]


class FailureDetails:
    """The values of a failed comparison, kept only if anybody will read why the check failed."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._compared: tuple[Any, Any, Any, str] | None = None
        self.leaks: Leaks | None = None
        self.mixes_samples = False
        self.reason: tuple[str, str] | None = None
        """The reason that the check itself proved, by id and in a sentence of the course's, or what
        the failure shows by itself."""
        self.error: Exception | None = None
        """The error of ours that a check ended in when it was asked for its reason."""

    def explain(self, why: Callable[[], tuple[str, str] | None] | None) -> None:
        """Ask a check for the reason of its failure, if it can prove one.

        An error of ours in that is kept in `error`: the check has found its failure, and stays so.
        Raises Starved and SourceGone, after which the whole check is tried again.
        """
        if why is None or not self._client.in_words:
            return
        # The check has failed already: whatever the student's code does now changes nothing.
        compared, client = self._compared, self._client
        answer, given, changed = client.answer, client.given, client.changed
        try:
            with suppress(StudentFault, CheckFailed, NotRecorded, Violation), client.uncounted():
                self.reason = why()
        except (Starved, SourceGone):
            raise
        except Exception as error:
            self.error = error
        self._compared = compared
        client.answer, client.given, client.changed = answer, given, changed

    def see(self, id: str, text: str) -> None:
        """Note what the failure itself shows: an id, and a sentence that tells no number."""
        self.reason = self.reason or (id, text)

    def see_other_dtype(self) -> None:
        """Note that a value has another dtype than it should have."""
        self.see(
            "dtype.other",
            _("a tensor of another dtype joins in on the way, or a conversion is not undone"),
        )

    def keep(
        self,
        observed: Any,
        expected: Any,
        given: tuple[Any, Any] | None = None,
        function: Function | None = None,
    ) -> None:
        """Keep what is compared; without `given`, the arguments of the last call."""
        if not self._client.in_words:
            return
        name = function.__name__ if isinstance(function, RemoteFunction) else ""
        self._compared = observed, expected, given or self._client.given, name

    def forget(self) -> None:
        """Drop what was kept and seen: the comparison held after all."""
        self._compared = self.reason = None

    @property
    def failure(self) -> FailedComparison | None:
        """Return the values of the failed comparison; None if they are too large to look into."""
        if self._compared is None or any(map(is_large, tree_leaves(self._compared[:3]))):
            return None
        observed, expected, given, name = self._compared
        observed, expected, given = tree_map(_detached, [observed, expected, given])
        return FailedComparison(observed, expected, given, name)

    def look(self, student: Function, reference: Function, arguments: tuple[Any, Any]) -> None:
        """Find an argument that is ignored, and outputs that depend on what they must not.

        The latter only if `arguments` are nothing but a tensor of tokens: on wrong tokens, or on
        other samples.
        """
        if not self._client.in_words:
            return
        self._see_ignored(student, reference, *arguments)
        x = sequence_of(*arguments)
        if x is None:
            return
        # It may hang or crash, and the check has its failure already.
        with suppress(StudentFault, NotRecorded), self._client.uncounted():
            self.leaks = leaks(student, reference, x.detach())
            self.mixes_samples = mixes_samples(student, x.detach())

    def _see_ignored(
        self, student: Function, reference: Function, args: Any, kwargs: dict[str, Any]
    ) -> None:
        args, kwargs = tree_map(_detached, (args, kwargs))
        name = None
        with suppress(StudentFault, NotRecorded), self._client.uncounted(), torch.no_grad():
            name = ignored_argument(student, reference, args, kwargs)
        if name is not None:
            text = _("`{name}` changes nothing: the same comes out without it", name=name)
            self.see("argument.ignored", text)


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value
