"""Honest messages with something in them replaced, moved, repeated or left out."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from grader.wire.frame import Message

EXAMPLES = int(os.environ.get("GRADER_FUZZ_EXAMPLES", "60"))
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def deep(depth: int) -> list[Any]:
    """A list in a list in a list."""
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


NUMBERS = st.sampled_from(
    [0, 1, 2, 3, 7, 255, -1, -(1 << 63), 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 64, 10**4000]
)
KINDS = st.sampled_from([*"ifcTltdDVSeAPHOFxNBL?", "ok", "raised", "call", "backward"])
DTYPES = st.sampled_from(["bool", "float16", "complex128", "int64", "float64", "float128"])
TEXTS = st.sampled_from(["", "a", "\0", "\ud800", "x" * 5000, "nan", "inf", "0x1p99999", "a.py"])
JUNK = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | KINDS | DTYPES | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["t", "type", "kind", "parameters", "env", "a"]), inner)
        | st.tuples(KINDS, inner, inner).map(list)
    ),
    max_leaves=8,
) | st.sampled_from([deep(20), deep(30), deep(800), [None] * 6000])


@dataclass(frozen=True)
class Mutation:
    """What to do to the message number `at` of a conversation."""

    at: int
    place: int
    how: str
    junk: Any
    payload: bytes

    def apply(self, message: Message) -> Message:
        meta, payload = copy.deepcopy(message.meta), bytearray(message.payload)
        if self.how == "payload":
            position = self.place % (len(payload) + 1)
            payload[position : position + len(self.payload)] = self.payload
        elif self.how == "cut payload":
            del payload[self.place % (len(payload) + 1) :]
        else:
            self._replace(meta)
        return Message(meta, payload)

    def _replace(self, meta: Any) -> None:
        places = list(_places(meta))
        holder, key = places[self.place % len(places)]
        if self.how == "leave out":
            del holder[key]
        elif self.how == "move":
            other, from_key = places[(self.place * 7 + 3) % len(places)]
            holder[key] = copy.deepcopy(other[from_key])
        elif self.how == "repeat" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[key] = self.junk


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from _places(value[key])


def mutations(messages: int = 12) -> st.SearchStrategy[Mutation]:
    """One change to one of the first `messages` messages."""
    return st.builds(
        Mutation,
        at=st.integers(0, messages - 1),
        place=st.integers(0, 400),
        how=st.sampled_from(
            ["junk"] * 4 + ["leave out", "move", "repeat", "payload", "cut payload"]
        ),
        junk=JUNK,
        payload=st.binary(max_size=9),
    )
