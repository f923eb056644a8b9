"""What a check leaves in live objects is gone before the next one."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import nn

from grader.worker.state_restore import SavedState

SOURCE = """
import functools, torch
from torch import nn

calls, table, other = [], {"a": [1]}, [0]
layer = nn.Linear(2, 2)
count = 0


@functools.lru_cache
def cached(x):
    calls.append(x)
    return x


class Base:
    shared = []


class Thing(Base):
    size = 1

    def grow(self):
        Thing.size += 1
        Thing.extra = True
        Base.shared.append(1)
        self.helper()

    @staticmethod
    def helper():
        table["a"].append(2)


def target(x, seen=[]):
    global count, brand_new
    seen.append(x)
    count += 1
    brand_new = 1
    target.mark = x
    cached(x)
    with torch.no_grad():
        layer.weight.zero_()
    return seen


def untouched():
    other.append(1)
"""


def held() -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "student"}
    exec(compile(SOURCE, "<student>", "exec"), space)
    return space


def test_names_defaults_data_and_caches_are_put_back() -> None:
    space = held()
    before = set(space)
    weight = space["layer"].weight.detach().clone()
    saved = SavedState([space], [space["target"]])

    assert space["target"](5) == [5]
    saved.restore()

    assert set(space) == before
    assert (space["calls"], space["count"]) == ([], 0)
    assert not hasattr(space["target"], "mark")
    assert torch.equal(space["layer"].weight, weight)
    assert space["target"](6) == [6]
    assert space["calls"] == [6]


def test_classes_are_put_back_with_what_their_methods_use() -> None:
    space = held()
    saved = SavedState([space], [space["Thing"]])

    space["Thing"]().grow()
    assert (space["Thing"].size, space["table"]) == (2, {"a": [1, 2]})
    saved.restore()

    assert space["Thing"].size == 1
    assert not hasattr(space["Thing"], "extra")
    assert space["table"] == {"a": [1]}


def test_what_no_target_reaches_is_not_copied() -> None:
    space = held()
    space["other"] = functools.partial(print)  # what could not be copied would be in the way
    kept = space["other"]

    SavedState([space], [space["target"]]).restore()

    assert space["other"] is kept


def test_data_that_cannot_be_copied_stays_as_it_is() -> None:
    space = held()
    exec("calls = (n for n in [1])\ndef target(): return next(calls, None)", space)
    saved = SavedState([space], [space["target"]])

    assert space["target"]() == 1
    saved.restore()

    assert space["target"]() is None


def test_a_lent_function_is_taken_back() -> None:
    space = held()
    own = space["target"]
    saved = SavedState([space], [own])

    space["target"] = nn.Identity()
    saved.restore()

    assert space["target"] is own
