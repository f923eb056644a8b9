"""Setting up never brings CUDA by accident, and every refusal says what to type.

Real pip against indexes on this machine, whose wheels have the names of the large ones and nothing
in them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.package_index import Index, Wheel, serving, unreachable
from tools.set_up import torch_build
from tools.set_up.pip_command import CannotSetUp, Pip, PipFailed

CUDA = (
    Wheel(
        "torch", "2.13.0", ("nvidia-cudnn-cu13==9.20", "cuda-bindings; platform_system=='Linux'")
    ),
    Wheel("nvidia-cudnn-cu13", "9.20"),
    Wheel("cuda-bindings", "13.0"),
)
CPU = Wheel("torch", "2.13.0+cpu")
UNTAGGED = Wheel("torch", "2.13.0", ("sympy", "nvidia-ml-py; extra == 'monitoring'"))


@dataclass(frozen=True)
class Installed:
    """Where a pip of our own installs, and how it is configured."""

    pip: Pip
    folder: Path
    patch: pytest.MonkeyPatch

    def configure(self, index: str) -> None:
        """Makes this pip's own index."""
        self.patch.setenv("PIP_INDEX_URL", index)

    @property
    def torch(self) -> str:
        """The version of the torch that was installed, if any."""
        found = [path.name for path in self.folder.glob("torch-*.dist-info")]
        return found[0].removeprefix("torch-").removesuffix(".dist-info") if found else ""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "installed"
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_TARGET", str(folder))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(torch_build, "SHORT_WAIT", ["--timeout", "2", "--retries", "0"])
    monkeypatch.setattr(sys, "platform", "linux")
    return Installed(Pip([sys.executable, "-m", "pip"]), folder, monkeypatch)


@pytest.fixture
def cuda_only(tmp_path: Path) -> Iterator[Index]:
    with serving(tmp_path / "usual", *CUDA) as index:
        yield index


@pytest.fixture
def cpu_index(tmp_path: Path) -> Iterator[Index]:
    with serving(tmp_path / "cpu", CPU) as index:
        yield index


def choice(torch: str = "index", torch_index: str = "") -> dict[str, str]:
    return {"torch": torch, "torch_index": torch_index}


def test_a_cpu_build_in_pips_own_index_is_taken_and_no_other_index_is_asked(
    installed: Installed, cpu_index: Index, tmp_path: Path
) -> None:
    with serving(tmp_path / "own", *CUDA, CPU) as own:
        installed.configure(own.url)
        torch_build.install_torch(installed.pip, choice(), cpu_index.url)

    assert installed.torch == "2.13.0+cpu"
    assert own.downloaded == ["torch-2.13.0+cpu-py3-none-any.whl"]
    assert cpu_index.asked == []


def test_where_pips_own_index_has_only_cuda_the_cpu_index_is_taken(
    installed: Installed, cuda_only: Index, cpu_index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    installed.configure(cuda_only.url)

    torch_build.install_torch(installed.pip, choice(), cpu_index.url)

    assert installed.torch == "2.13.0+cpu"
    assert cuda_only.downloaded == []
    assert cpu_index.downloaded == ["torch-2.13.0+cpu-py3-none-any.whl"]
    assert capsys.readouterr().out == (
        "  torch, built for CPUs (about 190 MB) ...\n"
        "  pip's own index has no build for CPUs; on Linux its usual one brings CUDA, several GB.\n"
        f"  Taking PyTorch's own build for CPUs, from {cpu_index.url}\n"
        "  torch, built for CPUs (about 190 MB) ...\n"
    )


def test_where_the_cpu_index_cannot_be_reached_the_choice_is_explained(
    installed: Installed, cuda_only: Index
) -> None:
    installed.configure(cuda_only.url)
    nowhere = unreachable()

    with pytest.raises(CannotSetUp) as refused:
        torch_build.install_torch(installed.pip, choice(), nowhere)

    said = str(refused.value)
    assert said.startswith("torch==2.13.0 built for CPUs was not to be had. Nothing with CUDA")
    assert "    pip's own index: No matching distribution found for torch==2.13.0+cpu\n" in said
    assert f"    {nowhere}: " in said
    for typed in ("TORCH_INDEX=<url>", "TORCH=system", "TORCH=any"):
        assert f"    make check {typed}" in said
    assert max(map(len, said.splitlines())) <= 100
    assert cuda_only.downloaded == []
    assert installed.torch == ""


def test_without_any_network_both_reasons_are_told(installed: Installed) -> None:
    installed.patch.setenv("PIP_RETRIES", "1")
    installed.configure(unreachable())

    with pytest.raises(CannotSetUp, match=r"pip's own index: .*Connection refused"):
        torch_build.install_torch(installed.pip, choice(), unreachable())


def test_an_index_that_is_named_is_the_only_one_asked(
    installed: Installed, cuda_only: Index, cpu_index: Index
) -> None:
    installed.configure(cuda_only.url)

    torch_build.install_torch(installed.pip, choice(torch_index=cpu_index.url), unreachable())

    assert installed.torch == "2.13.0+cpu"
    assert cuda_only.asked == []


def test_a_build_without_a_tag_is_taken_from_a_named_index_if_it_asks_for_no_cuda(
    installed: Installed, tmp_path: Path
) -> None:
    with serving(tmp_path / "mirror", UNTAGGED) as mirror:
        torch_build.install_torch(installed.pip, choice(torch_index=mirror.url), unreachable())

    assert installed.torch == "2.13.0"


def test_cuda_is_refused_from_a_named_index_too(installed: Installed, cuda_only: Index) -> None:
    with pytest.raises(CannotSetUp, match=r"only with CUDA \(cuda-bindings, nvidia-cudnn-cu13"):
        torch_build.install_torch(installed.pip, choice(torch_index=cuda_only.url), unreachable())

    assert installed.torch == ""
    assert not any("nvidia" in file for file in cuda_only.downloaded)


def test_whoever_asks_for_it_gets_what_pips_own_index_has(
    installed: Installed, cuda_only: Index, cpu_index: Index
) -> None:
    installed.configure(cuda_only.url)

    torch_build.install_torch(installed.pip, choice("any"), cpu_index.url)

    assert installed.torch == "2.13.0"
    assert cpu_index.asked == []


def test_elsewhere_than_on_linux_pips_own_index_has_the_right_build(
    installed: Installed, cpu_index: Index, tmp_path: Path
) -> None:
    installed.patch.setattr(sys, "platform", "darwin")
    with serving(tmp_path / "own", UNTAGGED) as own:
        installed.configure(own.url)
        torch_build.install_torch(installed.pip, choice(), cpu_index.url)

    assert installed.torch == "2.13.0"
    assert cpu_index.asked == []


def test_a_python_too_new_for_torch_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_build, "NEWEST_PYTHON", (3, 10))
    said = torch_build.nowhere("torch==2.13.0", "x", PipFailed("none"), PipFailed("none"))

    assert said.splitlines()[-1].startswith("    make check PYTHON=python3.12 ")


def report(*packages: tuple[str, str, tuple[str, ...]]) -> dict[str, Any]:
    """What `pip install --dry-run --report` says, as far as it is read."""
    return {
        "install": [
            {"metadata": {"name": name, "version": version, "requires_dist": list(needs)}}
            for name, version, needs in packages
        ]
    }


@pytest.mark.parametrize(
    ("version", "needs", "found"),
    [
        pytest.param("2.13.0+cpu", ("sympy>=1.13.3",), [], id="CPU build"),
        pytest.param("2.13.0", ("networkx", "nvidia-ml-py; extra == 'm'"), [], id="no build tag"),
        pytest.param(
            "2.13.0",
            ('cuda-bindings<14; platform_system == "Linux"', "nvidia-cudnn-cu13==9.1", "sympy"),
            ["cuda-bindings<14", "nvidia-cudnn-cu13==9.1"],
            id="CUDA packages",
        ),
        pytest.param("2.13.0+cu130", (), ["torch 2.13.0+cu130"], id="CUDA build"),
        pytest.param("2.13.0+rocm7.0", (), ["torch 2.13.0+rocm7.0"], id="ROCm build"),
        pytest.param("2.13.0", ("pytorch-triton-xpu==3",), ["pytorch-triton-xpu==3"], id="XPU"),
    ],
)
def test_what_only_a_gpu_needs_is_found_in_pips_report(
    version: str, needs: tuple[str, ...], found: list[str]
) -> None:
    assert torch_build.gpu_parts(report(("torch", version, needs))) == found


def test_torch_is_pinned_by_the_constraints() -> None:
    assert torch_build.pinned_torch() == "torch==2.13.0"


LINES = ["torch==2.13.0", "numpy==2.4.6", "rich==15.0.0"]


@pytest.mark.parametrize(
    ("kind", "there", "kept"),
    [
        pytest.param(
            "index",
            {"torch": "2.13.0+cpu", "numpy": "1.0"},
            ["numpy==2.4.6", "rich==15.0.0", "torch==2.13.0+cpu"],
            id="the build, to the letter",
        ),
        pytest.param(
            "system",
            {"torch": "2.8.0+cpu"},
            ["numpy==2.4.6", "rich==15.0.0", "torch==2.8.0+cpu"],
            id="a torch that was there",
        ),
        pytest.param(
            "system",
            {"torch": "2.8.0", "numpy": "1.26.4"},
            ["rich==15.0.0", "numpy==1.26.4", "torch==2.8.0"],
            id="and its numpy",
        ),
    ],
)
def test_nothing_can_replace_the_torch_that_is_there(
    monkeypatch: pytest.MonkeyPatch, kind: str, there: dict[str, str], kept: list[str]
) -> None:
    monkeypatch.setattr(torch_build, "installed_version", lambda pip, name: there.get(name))

    assert torch_build.constraints_for_torch(Pip([]), kind, LINES).splitlines() == kept


@pytest.mark.parametrize("version", ["2.5.1", "3.0.0"])
def test_a_torch_out_of_range_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(torch_build, "installed_version", lambda pip, name: version)

    with pytest.raises(CannotSetUp, match="make setup TORCH=index"):
        torch_build.constraints_for_torch(Pip([]), "system", LINES)


def test_torch_system_without_a_torch_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(CannotSetUp, match="make setup TORCH=system PYTHON=path/to/python"):
        torch_build.require_system_torch()
