"""What exists for a worker: what Python and torch need, and nothing that lies beside it."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterable
from pathlib import Path

import pytest

from grader.worker.jail import allowed

MULTIARCH = sysconfig.get_config_var("MULTIARCH") or "none"


def tree(root: Path, files: Iterable[str]) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return root


def test_the_stack_is_taken_by_name(tmp_path: Path) -> None:
    names = ["torch/__init__.py", "numpy.libs/x.so", "grader/engine.py", "pytest/__init__.py",
             "typing_extensions.py", "torchvision/__init__.py", "grader.pth"]  # fmt: skip
    folder = str(tree(tmp_path, names))
    assert allowed.stack_entries(folder) == (
        f"{folder}/torch",
        f"{folder}/numpy.libs",
        f"{folder}/typing_extensions.py",
    )


def test_the_standard_library_comes_without_packages_tests_and_strangers() -> None:
    entries = {Path(path).name for path in allowed.allowed([]).entries}
    assert {"os.py", "encodings", "lib-dynload", "json", "unittest"} <= entries
    assert {"site-packages", "dist-packages", "test", "sitecustomize.py"}.isdisjoint(entries)


@pytest.mark.parametrize(
    ("files", "links", "folders", "kept"),
    [
        pytest.param(
            [f"usr/lib/{MULTIARCH}/libc.so.6", "usr/lib64/ld-linux-x86-64.so.2",
             "usr/lib/python3/dist-packages/x.py"],
            {"lib": "usr/lib", "lib64": "usr/lib64"},
            ["usr/lib64", f"usr/lib/{MULTIARCH}"],
            ["lib", "lib64"],
            id="Debian",
        ),
        pytest.param(
            ["usr/lib64/libc.so.6", "usr/lib64/python3.12/site-packages/x.py", "usr/lib/x/y"],
            {"lib": "usr/lib", "lib64": "usr/lib64"},
            ["usr/lib64"],
            ["lib", "lib64"],
            id="Fedora",
        ),
        pytest.param(
            ["usr/lib/libc.so.6", "usr/lib/python3.12/os.py"],
            {"lib": "usr/lib", "lib64": "usr/lib", "usr/lib64": "lib"},
            ["usr/lib"],
            ["usr/lib64", "lib", "lib64"],
            id="Arch",
        ),
        pytest.param(
            ["lib/ld-musl-x86_64.so.1", "usr/lib/libstdc++.so.6", "usr/lib/python3.12/os.py"],
            {},
            ["lib"],
            [],
            id="Alpine",
        ),
    ],
)  # fmt: skip
def test_library_folders_of_distributions(
    tmp_path: Path, files: list[str], links: dict[str, str], folders: list[str], kept: list[str]
) -> None:
    root = tree(tmp_path, files)
    for link, target in links.items():
        (root / link).symlink_to(target)
    found_folders, found_links = allowed.library_folders(str(root))
    assert [str(Path(path).relative_to(root)) for path in found_folders] == folders
    assert [str(Path(path).relative_to(root)) for path in found_links] == kept


def test_other_pythons_among_the_libraries_are_left_out(tmp_path: Path) -> None:
    root = tree(
        tmp_path, ["libc.so.6", "python3.12/site-packages/grader/engine/engine.py", "gconv/x.so"]
    )
    folder = str(root)
    assert allowed.other_pythons(folder) == [f"{folder}/python3.12"]
    assert allowed.library_entries(folder) == [f"{folder}/gconv", f"{folder}/libc.so.6"]


def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    root = tree(tmp_path, ["a", "b"])
    assert allowed.readable_by_us([str(root / "a"), str(root)]) is None
    missing = str(root / "missing")
    assert allowed.readable_by_us([str(root / "a"), missing]) == missing
