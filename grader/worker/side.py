"""The worker's end of the channel: student's objects by number, judge's callbacks as functions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from opcode import opmap
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch

from ..wire.faults import Violation
from ..wire.frame import Meta
from ..wire.peer import Peer
from ..wire.side import Side
from ..wire.tensors import DTYPES
from ..wire.values import Node, type_name
from . import modules
from .operations import Operations
from .recording import RecordedRow, Recorder
from .slow_call import Row, SlowCall

if TYPE_CHECKING:
    from collections.abc import Mapping

Lookup = Callable[[str, str], object]
Locate = Callable[[str], "tuple[str, int | None] | None"]
"""Maps a code file name to a file and cell of the submission, or to None."""


_RAISING = frozenset({opmap["RAISE_VARARGS"], opmap["RERAISE"]})
_REFUSABLE = {
    "process": frozenset({"subprocess", "multiprocessing", "concurrent", "pty"}),
    "network": frozenset({"socket", "socketserver", "ssl", "urllib", "http", "ftplib", "smtplib"}),
}


class Callback:
    """A function of the judge's, as student code sees it."""

    def __init__(self, peer: Peer, number: int) -> None:
        self._peer, self.number = peer, number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        env = {"grad": torch.is_grad_enabled()}
        return self._peer.call(["H", self.number], args, kwargs, env, {}).value


class WorkerSide(Side):
    """The worker's `Side`: names the student's objects, runs code under the judge's settings."""

    runs_deferred_calls = True

    def __init__(
        self,
        lookup: Lookup,
        locate: Locate,
        renew: Callable[[], None] = lambda: None,
        substitute: Callable[..., object] | None = None,
        reaches: Callable[..., object] | None = None,
    ) -> None:
        self.peer: Peer
        self._renew, self._substitute, self._reaches = renew, substitute, reaches
        self._lookup = lookup
        self._locate = locate
        self._objects: list[object] = []
        self._numbers: dict[int, int] = {}
        self._operations: Operations | None = None
        self._recorder: Recorder | None = None
        self._slow_call = SlowCall(self._tell_place, locate)

    def forget(self) -> None:
        """Drop every object handed out so far."""
        self._objects.clear()
        self._numbers.clear()
        self._recorder = None

    def reset(self) -> None:
        """Start a check anew: reset modules and torch's settings, drop objects, seed generators."""
        self.forget()
        self._renew()
        reset_torch()
        seed_torch(0)
        random.seed(0)

    def name(self, value: Any) -> Node | None:
        if isinstance(value, Callback):
            return ["H", value.number]
        if isinstance(value, torch.nn.Module):
            return ["O", self._number(value), modules.describe(value)]
        if _is_kept(value) or (callable(value) and not isinstance(value, torch.Tensor)):
            return ["O", self._number(value), {"kind": "callable", "type": type_name(value)}]
        return None

    def _number(self, value: object) -> int:
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._objects)
            self._objects.append(value)
        return number

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        if kind == "H":
            return self._object(parts)
        if kind == "F" and len(parts) == 1 and type(parts[0]) is int:
            return Callback(self.peer, parts[0])
        raise Violation("reference")

    def _object(self, parts: list[Any]) -> Any:
        if len(parts) != 1 or type(parts[0]) is not int or not 0 <= parts[0] < len(self._objects):
            raise Violation("object number")
        return self._objects[parts[0]]

    def target(self, node: Node) -> Callable[..., Any]:
        kind, *parts = node
        if kind == "N":
            return self._lookup(parts[0], parts[1])  # type: ignore[return-value]
        if kind == "V":
            return lambda: self._lookup(parts[0], parts[1])
        if kind == "B":
            return modules.BUILTINS[parts[0]]
        if kind == "H":
            return self._object(parts)  # type: ignore[no-any-return]
        if kind == "S" and self._substitute is not None:
            return self._substitute
        if kind == "U" and self._reaches is not None:
            return self._reaches
        if kind == "R":
            return self._recorded
        if kind == "L":
            return getattr(torch.nn, parts[0])  # type: ignore[no-any-return]
        if kind == "M":
            return partial(modules.optimiser, parts[0])
        if kind == "G":
            return modules.generator
        raise Violation("target")

    def parameters(self, node: Node, names: Sequence[str]) -> tuple[torch.Tensor, ...]:
        if not names:
            return ()
        own = dict(torch.nn.Module.named_parameters(self._object(node[1:])))
        return tuple(own[name] for name in names)

    @contextmanager
    def environment(self, meta: Meta) -> Iterator[None]:
        """Apply the judge's grad mode, default dtype, device and seed.

        Grad mode, dtype and device are restored afterwards.
        """
        env: Mapping[str, Any] = meta.get("env") or {}
        if "seed" in env:
            seed_torch(env["seed"])
            random.seed(env["seed"])
        dtype = torch.get_default_dtype()
        wanted = DTYPES.get(env.get("dtype", ""), dtype)
        if wanted != dtype:
            torch.set_default_dtype(wanted)
        # Entered only where it changes something: a default device slows every operation down.
        elsewhere = torch.device("meta") if env.get("device") == "meta" else nullcontext()
        watched, outer = env.get("watch"), self._operations
        self._operations = Operations(watched, self._locate) if watched else None
        watching = self._operations.watching() if self._operations else nullcontext()
        try:
            with (
                torch.set_grad_enabled(bool(env.get("grad", True))),
                elsewhere,
                watching,
                self._recording(env),
                self._slow_call.watched() if env.get("slow") is True else nullcontext(),
            ):
                yield
        finally:
            self._operations = outer
            if torch.get_default_dtype() != dtype:
                torch.set_default_dtype(dtype)

    def _tell_place(self, functions: list[Row]) -> None:
        self.peer.tell({"t": "slow", "functions": functions})

    def _recording(self, env: Mapping[str, Any]) -> AbstractContextManager[None]:
        """Return a context that records a call's tensors, if the judge asked for them."""
        if env.get("record") is not True:
            return nullcontext()
        self._recorder = Recorder(self._locate)
        return self._recorder.recording()

    def _recorded(self) -> list[RecordedRow]:
        """Return what the last recorded call computed, once."""
        recorder, self._recorder = self._recorder, None
        return recorder.rows if recorder is not None else []

    def noted(self) -> Any:
        """Return which of the functions that the judge asked about ran in the call at hand."""
        return self._operations.rows if self._operations else None

    def report(self, error: BaseException) -> Meta:
        """Describe an exception: type, bases and text, and the student's line that it came from.

        That line is the last of the student's that the traceback crosses; `own` tells whether a
        `raise` there raised the exception. What torch raises from C has no frame of its own.
        """
        file, cell, line, own = None, None, None, False
        libraries: list[str] = []
        trace = error.__traceback__
        while trace is not None:
            place = self._locate(trace.tb_frame.f_code.co_filename)
            own = place is not None and _is_raising(trace)
            if place is not None:
                (file, cell), line = place, trace.tb_lineno
            else:
                libraries.append(str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0])
            trace = trace.tb_next
        return {
            "type": type_name(error),
            "bases": [
                base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins"
            ],
            "message": _message(error),
            "file": file,
            "cell": cell,
            "line": line,
            "own": own,
            "refused": _refused(error, libraries),
        }


def _is_kept(value: object) -> bool:
    """Tell whether a value stays here, where it was made, and goes by a number."""
    return isinstance(value, (torch.optim.Optimizer, modules.KeptGenerator))


def _is_raising(trace: TracebackType) -> bool:
    """Tell whether a frame is at a `raise`, and not in the middle of a call or an operator."""
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] in _RAISING


def _refused(error: BaseException, libraries: Sequence[str]) -> str:
    """Guess what the system refused, from the libraries on the traceback.

    Return `process`, `network` or `file`; an empty text if nothing points to a refusal.
    """
    if not isinstance(error, OSError):
        return ""
    for kind, names in _REFUSABLE.items():
        if names.intersection(libraries):
            return kind
    return "file" if error.filename is not None else ""


def _message(error: BaseException) -> str:
    try:
        text = str(error)
        return text[:4000] if type(text) is str else ""
    except BaseException:
        return ""


def seed_torch(seed: int) -> None:
    """Seed the CPU generator alone.

    `torch.manual_seed` also queues a call for CUDA, with a stack trace, which takes 0.7 ms.
    """
    torch.default_generator.manual_seed(seed)


def reset_torch() -> None:
    """Undo what student code may have set for the whole process."""
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    if torch.get_num_threads() != 1:
        torch.set_num_threads(1)
