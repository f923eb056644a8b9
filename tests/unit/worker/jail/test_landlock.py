"""What is asked of each version of Landlock: never a right that it does not know."""

from __future__ import annotations

import pytest

from grader.worker.jail import landlock


@pytest.mark.parametrize(
    ("version", "files", "network", "scopes", "size"),
    [
        (1, 0x1FFF, 0, 0, 8),
        (2, 0x3FFF, 0, 0, 8),
        (3, 0x7FFF, 0, 0, 8),
        (4, 0x7FFF, 3, 0, 16),
        (5, 0xFFFF, 3, 0, 16),
        (6, 0xFFFF, 3, 3, 24),
        (7, 0xFFFF, 3, 3, 24),
        (9, 0xFFFF, 3, 3, 24),
    ],
)
def test_rights_by_version(version: int, files: int, network: int, scopes: int, size: int) -> None:
    assert landlock.handled(version) == (files, network, scopes)
    assert len(landlock.attributes(version)) == size


def test_no_right_to_execute_is_ever_given() -> None:
    assert not (landlock.READ | landlock.WRITE) & 1


def test_reading_is_not_writing() -> None:
    assert landlock.READ & landlock.WRITE == landlock.READ
    assert landlock.READ != landlock.WRITE
