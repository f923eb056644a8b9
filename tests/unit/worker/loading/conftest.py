"""The `load` fixture: whatever a test loads is taken out of the interpreter again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.worker.loading.samples import Load


@pytest.fixture
def load() -> Iterator[Load]:
    loading = Load()
    yield loading
    loading.close()
