"""A kernel is told which version does not fit, and what to type."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

import pytest

import grader
from grader.live.versions import versions


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader, "__version__", "1.0.0")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "python_version", lambda: "3.12.4")


def with_torch(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    def of(name: str) -> str:
        if not version:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", of)


@pytest.mark.parametrize(
    ("kit", "torch", "said"),
    [
        ("1.0.0", "2.13.0+cpu", ["grader 1.0.0, Python 3.12.4, torch 2.13.0+cpu: these fit."]),
        (
            "1.1.0",
            "2.6.0",
            [
                "This kernel runs grader 1.0.0, and the kit's is 1.1.0. Restart the kernel, and "
                "run this cell first."
            ],
        ),
        (
            "1.0.0",
            "2.5.1",
            [
                "torch 2.5.1 does not fit. Install another in a new cell, and restart the kernel: "
                "%pip install 'torch>=2.6,<3' --index-url https://download.pytorch.org/whl/cpu"
            ],
        ),
        (
            "1.0.0",
            "",
            [
                "PyTorch is missing. Install it in a new cell: %pip install 'torch>=2.6,<3' "
                "--index-url https://download.pytorch.org/whl/cpu"
            ],
        ),
    ],
    ids=["all fit", "another grader", "old torch", "no torch"],
)
def test_what_does_not_fit_is_said(
    monkeypatch: pytest.MonkeyPatch, kit: str, torch: str, said: list[str]
) -> None:
    with_torch(monkeypatch, torch)
    assert versions(kit) == said
