"""Setting up never brings CUDA, and every refusal says what to type."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


def load_set_up() -> ModuleType:
    spec = importlib.util.spec_from_file_location("set_up", ROOT / "tools" / "set_up.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


set_up = load_set_up()


def report(*packages: tuple[str, str]) -> dict[str, Any]:
    """What `pip install --dry-run --report` says, as far as it is read."""
    return {
        "install": [{"metadata": {"name": name, "version": version}} for name, version in packages]
    }


@pytest.mark.parametrize(
    ("packages", "found"),
    [
        pytest.param([("torch", "2.13.0+cpu"), ("sympy", "1.14.0")], [], id="CPU build"),
        pytest.param([("torch", "2.13.0"), ("networkx", "3.6")], [], id="no build tag"),
        pytest.param(
            [("torch", "2.13.0"), ("nvidia-cublas-cu12", "12.8"), ("cuda-bindings", "13.0")],
            ["cuda-bindings 13.0", "nvidia-cublas-cu12 12.8"],
            id="CUDA packages",
        ),
        pytest.param([("torch", "2.13.0+cu130")], ["torch 2.13.0+cu130"], id="CUDA build"),
        pytest.param([("torch", "2.13.0+rocm7.0")], ["torch 2.13.0+rocm7.0"], id="ROCm build"),
    ],
)
def test_gpu_packages_are_found_in_pips_report(
    packages: list[tuple[str, str]], found: list[str]
) -> None:
    assert set_up.cuda_packages(report(*packages)) == found


def test_cuda_is_refused_before_the_download(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run_pip(pip: list[str], arguments: list[str]) -> str:
        commands.append(arguments)
        return json.dumps(report(("torch", "2.13.0"), ("nvidia-cudnn-cu13", "9.1")))

    monkeypatch.setattr(set_up, "run_pip", run_pip)
    monkeypatch.setattr(set_up.sys, "platform", "linux")

    with pytest.raises(set_up.CannotSetUp) as refused:
        set_up.install_torch(["pip"], "")

    assert "make setup TORCH_INDEX=<the CPU index URL shown on pytorch.org" in str(refused.value)
    assert ["--dry-run" in command for command in commands] == [True]


def test_torch_is_pinned_by_the_constraints() -> None:
    assert set_up.pinned_torch() == "torch==2.13.0"


def test_only_torch_comes_from_the_index_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run_pip(pip: list[str], arguments: list[str]) -> str:
        commands.append(arguments)
        return json.dumps(report(("torch", "2.13.0+cpu")))

    monkeypatch.setattr(set_up, "run_pip", run_pip)
    set_up.install_torch(["pip"], "file:///index")

    assert commands[-1] == [
        "install",
        "--quiet",
        "--index-url",
        "file:///index",
        "--no-deps",
        "-c",
        str(ROOT / "constraints.txt"),
        "torch==2.13.0",
    ]


@pytest.mark.parametrize(
    ("version", "is_enough"), [((3, 10), False), ((3, 11), True), ((3, 14), True)], ids=str
)
def test_an_old_python_is_refused(version: tuple[int, int], is_enough: bool) -> None:
    if is_enough:
        set_up.require_python(version)
    else:
        with pytest.raises(set_up.CannotSetUp, match=r"make check PYTHON=python3\.12"):
            set_up.require_python(version)


def test_a_python_without_ensurepip_and_pip_is_told_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(set_up, "has", lambda module: module == "venv")

    with pytest.raises(set_up.CannotSetUp, match="apt install python3-venv"):
        set_up.require_own_pip()


@pytest.mark.parametrize(
    ("installed", "kept"),
    [
        pytest.param({"torch": "2.8.0+cpu"}, ["torch==2.8.0+cpu"], id="torch"),
        pytest.param(
            {"torch": "2.8.0", "numpy": "1.26.4"},
            ["numpy==1.26.4", "torch==2.8.0"],
            id="torch and its numpy",
        ),
    ],
)
def test_a_torch_that_is_there_is_kept(
    monkeypatch: pytest.MonkeyPatch, installed: dict[str, str], kept: list[str]
) -> None:
    monkeypatch.setattr(set_up, "installed_version", lambda pip, name: installed.get(name))

    lines = set_up.constraints_for_system_torch([]).splitlines()

    assert lines[-len(kept) :] == kept
    assert not any(line == "torch==2.13.0" for line in lines)


@pytest.mark.parametrize("version", ["2.5.1", "3.0.0"])
def test_a_torch_out_of_range_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(set_up, "installed_version", lambda pip, name: version)

    with pytest.raises(set_up.CannotSetUp, match="make setup TORCH=index"):
        set_up.constraints_for_system_torch([])


@pytest.mark.parametrize(
    ("torch", "index", "chosen"),
    [
        pytest.param("", "", ("system", ""), id="the last choice stays"),
        pytest.param("index", "", ("index", ""), id="a new choice wins"),
        pytest.param("", "file:///x", ("index", "file:///x"), id="an index is a choice"),
    ],
)
def test_choices_are_remembered(
    tmp_path: Path, torch: str, index: str, chosen: tuple[str, str]
) -> None:
    stamp = tmp_path / ".ready"
    stamp.write_text('{"torch": "system", "torch_index": ""}', encoding="utf-8")

    choice = set_up.choose(stamp, torch, index)

    assert (choice["torch"], choice["torch_index"]) == chosen


def test_the_stamp_is_stale_once_a_requirement_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(set_up, "ROOT", tmp_path)
    monkeypatch.setattr(set_up, "CONSTRAINTS", tmp_path / "constraints.txt")
    monkeypatch.setattr(set_up, "__file__", str(tmp_path / "set_up.py"))
    for name in ("pyproject.toml", "constraints.txt", "set_up.py", ".ready"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000, 1000))

    assert set_up.is_newest(tmp_path / ".ready") is True
    os.utime(tmp_path / "constraints.txt", (1001, 1001))
    assert set_up.is_newest(tmp_path / ".ready") is False
