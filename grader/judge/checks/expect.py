"""Offer a check all that it may require; every check must make at least one comparison."""

from __future__ import annotations

from ..calls.client import Client
from ..reference.memo import Memo
from .against_reference import AgainstReference
from .call_behaviour import CallBehaviour, PlannedCall
from .comparisons import Comparisons
from .failure_details import FailureDetails
from .properties import Properties


class Expect:
    """The requirements of a check: each method raises `CheckFailed` with observed and expected."""

    def __init__(self, client: Client, memo: Memo, seed: int) -> None:
        self.record = Comparisons(FailureDetails(client))
        reference = AgainstReference(client, memo, seed, self.record)
        self.matches = reference.matches
        self.gradients = reference.gradients
        self.wiring = reference.wiring
        properties = Properties(self.record)
        self.close = properties.close
        self.shape = properties.shape
        self.floats = properties.floats
        self.dtype = properties.dtype
        self.finite = properties.finite
        self.true = properties.true
        self.items = properties.items
        calls = CallBehaviour(client, self.record)
        self.raises = calls.raises
        self.unchanged = calls.unchanged
        self.starts_anew = calls.starts_anew
        self.separate = calls.separate
        self.rests = calls.rests
        self.call = PlannedCall.of
        self.within_memory = calls.within_memory

    @property
    def notes(self) -> list[str]:
        """Return the notes so far; a suite may add its own."""
        return self.record.notes
