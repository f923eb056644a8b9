"""Practice runs to its end, and leaves nothing behind."""

from __future__ import annotations

import linecache
import sys

import torch

from grader.worker.warm_up import STEMS, practise


def traces() -> tuple[object, ...]:
    return (
        list(sys.meta_path),
        {name for name in sys.modules if any(stem in name for stem in STEMS)},
        {name for name in linecache.cache if any(stem in name for stem in STEMS)},
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        torch.get_num_threads(),
    )


def test_practice_leaves_nothing_behind() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        before = traces()
        practise()
        assert traces() == before
    finally:
        torch.set_num_threads(threads)
