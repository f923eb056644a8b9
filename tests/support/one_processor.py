"""Have an engine's processes take turns on one processor, where many engines run at once.

A judge and its workers wait for each other. Where every processor is busy, each message between
two of these costs more than what it asks for: an engine needs an eighth less processor time alone
on one of them. So as many processes of a test run as there are processors have one each for their
engines; the system moves those of the others to where there is least to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from grader.engine.lanes import cores


@contextmanager
def one_processor() -> Iterator[None]:
    """Have what is started in the block compute on one processor, which others share.

    Where a run of tests has one process, in the processes beyond the number of processors, and
    where none can be chosen, nothing is changed.
    """
    number = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    is_bound = number.isdecimal() and int(number) < cores()
    with processor_of(0, int(number)) if is_bound else nullcontext():
        yield


@contextmanager
def processor_of(pid: int, number: int) -> Iterator[None]:
    """Have what process `pid` starts in the block compute on the processor of a number.

    0 is this process; numbers beyond the last processor begin again at the first.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before, all_of_them = os.sched_getaffinity(pid), sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(pid, {all_of_them[number % len(all_of_them)]})
    try:
        yield
    finally:
        os.sched_setaffinity(pid, before)
