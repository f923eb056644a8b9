"""Ship the worker's code, so that a child imports it without learning any path.

With `pip install -e .` the package lies inside the course, and so may the virtual environment. A
nursery, zygote or worker therefore gets its modules as compiled code, in which `<grader.worker>`
stands for the file, and the torch stack through directory descriptors, so that no path of ours is
in its memory.
"""

from __future__ import annotations

import base64
import fcntl
import importlib.util
import json
import marshal
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Self, TypeVar

import grader

from ..text.language import catalogue, language_in_use, use_catalogue
from ..wire.frame import Meta
from .start_orders import StartOrder

Order = TypeVar("Order", bound=StartOrder)

PACKAGES = ("grader.wire", "grader.worker", "grader.processes", "grader.text")
"""All that runs on the untrusted side of the judge, taken whole."""
STACK = ("torch", "numpy", "einops", "typing_extensions", "sympy")

# -I would also ignore PYTHONHASHSEED, and then the order of a set of names in student code
# would differ between runs; with a cleared environment -s -P -S amount to the same.
FLAGS = ("-s", "-P", "-S", "-B", "-X", "utf8")
ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
}

FIRST_STACK_FD = 50

BOOT = """
import base64, gc, importlib.util, json, marshal, os, sys
os.chdir("/")  # the folder we were started in may be the course
with os.fdopen(int(sys.argv[1]), "rb") as file:
    message = json.load(file)
class Finder:
    def find_spec(name, path=None, target=None):
        found = message["modules"].get(name)
        if found is not None:
            return importlib.util.spec_from_loader(name, Finder, is_package=found[1])
    def create_module(spec):
        return None
    def exec_module(module):
        code = message["modules"][module.__name__][0]
        exec(marshal.loads(base64.b64decode(code)), module.__dict__)
sys.meta_path.insert(0, Finder)
sys.path += message["stack"]
sys.argv = ["grader"]
module, function = message["entry"].split(":")
gc.disable()  # a module is no garbage: to look for some takes a tenth of `import torch`
entry = getattr(importlib.import_module(module), function)
gc.freeze()
gc.enable()
entry(message)
"""


@dataclass(frozen=True)
class Bootstrap:
    """Everything that a new process needs to run our code."""

    modules: Mapping[str, tuple[str, bool]]
    """name -> (marshalled code as base64, whether it is a package)"""
    stack: tuple[str, ...]
    """Folders from which torch and what it needs can be imported."""
    stack_fds: tuple[int, ...]
    python: tuple[str, ...]
    boot: str
    environment: Mapping[str, str]
    language: str
    texts: str | None
    """The grader's catalogue in that language, as base64; None for English."""

    def encoded(self) -> Meta:
        return dict(vars(self))

    @classmethod
    def of(cls, message: Meta) -> Self:
        """Decode a bootstrap that a process of ours has packed."""
        return cls(
            modules={
                name: (code, is_package) for name, (code, is_package) in message["modules"].items()
            },
            stack=tuple(message["stack"]),
            stack_fds=tuple(message["stack_fds"]),
            python=tuple(message["python"]),
            boot=message["boot"],
            environment=message["environment"],
            language=message["language"],
            texts=message["texts"],
        )


def pack() -> Bootstrap:
    """Pack the bootstrap for this installation. Opens descriptors of the torch stack's folders.

    Raises:
        ModuleNotFoundError: torch or another part of the stack is not installed.
    """
    stack, fds = _stack()
    texts = catalogue(language_in_use())
    return Bootstrap(
        modules=_modules(),
        stack=tuple(stack),
        stack_fds=tuple(fds),
        python=(_interpreter(), *FLAGS),
        boot=BOOT,
        environment=dict(ENVIRONMENT),
        language=language_in_use(),
        texts=None if texts is None else base64.b64encode(texts).decode(),
    )


def speak(bootstrap: Bootstrap) -> None:
    """Speak the language of the process that packed this bootstrap, from now on."""
    texts = bootstrap.texts
    use_catalogue(bootstrap.language, None if texts is None else base64.b64decode(texts))


def _interpreter() -> str:
    """Return the interpreter behind a virtual environment: its own path may lie in the course."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def compiled(name: str, text: str) -> str:
    """Compile the source of a module for a bootstrap, as `modules` holds it."""
    return _marshalled(compile(text, f"<{name}>", "exec", dont_inherit=True))


def _modules() -> dict[str, tuple[str, bool]]:
    root = Path(grader.__path__[0])
    modules = {"grader": (compiled("grader", '"""Part of the grader."""\n'), True)}
    for name in PACKAGES:
        place = root.joinpath(*name.split(".")[1:])
        for file in sorted(place.rglob("*.py")):
            parts = file.relative_to(root).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            dotted = ".".join(["grader", *(parts[:-1] if is_package else parts)])
            # Of the file beside it in __pycache__, if there is one: to compile all takes 0.1 s.
            code = SourceFileLoader(dotted, str(file)).get_code(dotted)
            assert code is not None
            modules[dotted] = (_marshalled(_as_of(code, f"<{dotted}>")), is_package)
    return modules


def _as_of(code: CodeType, file_name: str) -> CodeType:
    """Return the code, and all code in it, as if it were compiled from a file of this name."""
    inner = (
        _as_of(each, file_name) if isinstance(each, CodeType) else each for each in code.co_consts
    )
    return code.replace(co_filename=file_name, co_consts=tuple(inner))


def _marshalled(code: CodeType) -> str:
    return base64.b64encode(marshal.dumps(code)).decode("ascii")


def _open_folder(folder: str) -> int:
    """Open a folder under a number that no process of ours uses for anything else."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, FIRST_STACK_FD)
    finally:
        os.close(fd)


def _stack() -> tuple[list[str], list[int]]:
    folders: dict[str, None] = {}
    for name in STACK:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        origin = Path(spec.origin)
        folders[str(origin.parent.parent if origin.name == "__init__.py" else origin.parent)] = None
    if sys.platform != "linux":
        return list(folders), []
    fds = [_open_folder(folder) for folder in folders]
    return [f"/proc/self/fd/{fd}" for fd in fds], fds


def spawn(
    bootstrap: Bootstrap, order: StartOrder, fds: tuple[int, ...], errors: int | None = None
) -> int:
    """Exec a fresh interpreter that obeys the order; return its pid.

    `fds` keep their numbers in the new process. Its standard streams are the null device, but for
    standard error when a descriptor for it is given.
    """
    with tempfile.TemporaryFile() as file:
        message = {**bootstrap.encoded(), "entry": order.entry, "order": asdict(order)}
        file.write(json.dumps(message).encode())
        file.flush()
        file.seek(0)
        for fd in (*fds, *bootstrap.stack_fds, file.fileno()):
            os.set_inheritable(fd, True)
        argv = [*bootstrap.python, "-c", bootstrap.boot, str(file.fileno())]
        null = os.open(os.devnull, os.O_RDWR)
        streams = (null, null, null if errors is None else errors)
        actions = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(streams)]
        try:
            return os.posix_spawn(argv[0], argv, bootstrap.environment, file_actions=actions)
        finally:
            os.close(null)
            for fd in fds:
                os.set_inheritable(fd, False)


def received(message: Meta, kind: type[Order]) -> tuple[Order, Bootstrap]:
    """Decode what `spawn` has told a new process: its order, and what to start others with."""
    return kind(**message["order"]), Bootstrap.of(message)
