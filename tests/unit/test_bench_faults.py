"""Faults as a benchmark makes them: submissions that hang, and whose memory is a worker's."""

from __future__ import annotations

import pytest

from tests.bench.hanging import PLACES, Place
from tests.bench.long_class import worker_mb
from tests.bench.peers.job import RIGHT
from tools.class_memory import Memory, Sample


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.what)
def test_an_endless_loop_fits_in_one_place(place: Place) -> None:
    source = RIGHT.read_text(encoding="utf-8")
    hanging = source.replace(place.before, place.after)

    assert source.count(place.before) == 1
    compile(hanging, "submission.py", "exec")
    assert "while True" in hanging


def test_a_zygote_without_a_worker_is_not_taken_for_one() -> None:
    samples = [
        Sample(0, "zygote", 1, own=50.0, anonymous=1.0),
        Sample(0, "worker", 1, own=50.0, anonymous=1.0),
        Sample(0, "worker", 2, own=4.0, anonymous=1.0),
        Sample(1, "worker", 2, own=9.0, anonymous=1.0),
    ]
    assert list(worker_mb(Memory(samples))) == [9.0]
