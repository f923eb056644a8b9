"""Count the runs of torch's operators and functions, below the level of Python names.

An operator is replaced in torch's own table, so it makes no difference by which name it is called.
The replacement refers to the original and to the tally, and nothing that Python code can list
refers to the replacement: no module, no frame that is left behind, no list of the garbage
collector's. Whatever could get there all the same (hooks on frames, lists of objects, memory by
address) is noted.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import gc
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

import torch
from torch.utils._pytree import tree_map

from .loading.source.sources import spot
from .operations import Operations, named
from .tally import MARKS, ROW, ROWS

REACHING = (
    "sys.setprofile",
    "sys.settrace",
    "sys._current_frames",
    "sys.monitoring.register_callback",
    "gc.get_objects",
    "gc.get_referrers",
    "gc.get_referents",
    "ctypes.dlopen",
    "ctypes.dlsym",
    "ctypes.call_function",
    "ctypes.string_at",
    "ctypes.cdata",
    "ctypes.PyObj_FromPtr",
)
"""Audit events of calls that could lead to the counting code, by Python's names of these events."""
_HOME = {
    "CPU": "CPU",
    "Meta": "Meta",
    "NestedTensorCPU": "NestedTensorCPU",
    "AutogradNestedTensor": "AutogradNestedTensor",
    "FuncTorchBatched": "FuncTorchBatched",
    "FuncTorchBatchedDecomposition": "FuncTorchBatched",
    "FuncTorchVmapMode": "FuncTorchVmapMode",
    "CompositeExplicitAutograd": "CPU",
    "CompositeImplicitAutograd": "AutogradCPU",
}
"""A dispatch key that operators may be registered under -> a key whose computed kernel is the
same."""
_FRAMES = sys._getframe
_HERE = "grader.worker.kernels"
_MOST_CELLS = 400


def can_replace() -> bool:
    """Tell whether this version of torch hands out an operator's kernel before it is replaced."""
    return hasattr(torch._C, "_dispatch_get_computed_kernel_for_dispatch_key")


def is_counted(name: str, operators: Sequence[str]) -> bool:
    """Tell whether `watch` sees calls of a name: it has operators, or it is written in Python."""
    return can_replace() and (bool(operators) or _in_python(name) is not None)


def watch(names: Mapping[str, Sequence[str]], page: Any, files: Mapping[str, bytes]) -> None:
    """Count from now on every run of each name, under the number of the name.

    Counted are the name's operators, and the function itself if it is written in Python.
    """
    if not names or not can_replace():
        return
    places = _places(files)
    counting = [
        _hidden(
            _tell, page, ROWS + number * ROW.size, ROW.pack_into, ROW.unpack_from, places, _FRAMES
        )
        for number in range(len(names))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that something is replaced
        for tell, operators in zip(counting, names.values(), strict=True):
            for operator in operators:
                _replace(operator, tell)
    _wrap(list(names), counting)
    numbers = {event: MARKS + number for number, event in enumerate(REACHING)}
    sys.addaudithook(_hidden(_note, page, numbers, _ours(), _FRAMES))


# ---- what runs beside student code: it calls nothing that student code could have replaced -------


def _tell(
    page: Any,
    at: int,
    pack: Callable[..., None],
    unpack: Callable[..., tuple[int, ...]],
    places: Mapping[str, tuple[int, int]],
    frames: Callable[[int], Any],
) -> bool:
    """Count one run, with the submission's innermost line.

    Return whether the judge wants a wrong answer.
    """
    file = cell = line = 0
    frame = frames(1)
    while frame is not None:
        if frame.f_code.co_filename in places:
            file, cell = places[frame.f_code.co_filename]
            line = frame.f_lineno
            break
        frame = frame.f_back
    times = unpack(page, at)[0]
    pack(page, at, times + 1 & 0x7FFFFFFF, file, cell, line)
    return page[0] != 0  # type: ignore[no-any-return]


def _run(
    call: Callable[..., Any],
    tell: Callable[[], bool],
    scale: Callable[..., Any],
    shift: Callable[..., Any],
    keys: Any,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Count a run of the original kernel and run it.

    While the kernel runs, and if it raises, this frame holds no reference to it. If a wrong answer
    is wanted, each result is scaled and shifted.
    """
    wrong, box = tell(), [call]
    del call, tell
    result = box.pop()(keys, *args, **kwargs)
    if not wrong:
        return result
    many: Any = result if result.__class__ is ().__class__ else [result]
    false = [one if one is None else shift(scale(one, 1.25), 0.125) for one in many]
    return (*false,) if result.__class__ is ().__class__ else false[0]


def _number(counting: Sequence[Callable[[], bool]], number: int) -> bool:
    """Count one run of a Python function, by its number."""
    return counting[number]()


def _note(
    page: Any,
    numbers: Mapping[str, int],
    ours: frozenset[CodeType],
    frames: Callable[[int], Any],
    event: str,
    _args: object,
) -> None:
    """Mark an audit event as having happened, unless code of ours caused it."""
    number = numbers.get(event)
    if number is not None and frames(1).f_code not in ours:
        page[number] = 1


# ---- how it gets there ---------------------------------------------------------------------------


def _hidden(function: Callable[..., Any], *given: Any) -> functools.partial[Any]:
    """Bind `function` to its first arguments, hidden from its module and all lists of objects."""
    assert isinstance(function, FunctionType)
    # Globals that are nobody else's; C code that imports looks for the one name.
    apart = FunctionType(function.__code__, {"__builtins__": builtins}, function.__name__)
    whole = functools.partial(apart, *given)
    objects: list[object] = [whole, whole.args, apart, *given]
    for one in objects:
        if not gc.is_tracked(one):
            continue
        ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(one))
        _keep(one)  # Python takes what it frees off its lists, and that must be there then
    return whole


def _replace(operator: str, tell: Callable[[], bool]) -> None:
    """Have an operator counted wherever it is registered; one that does not exist never runs."""
    space, _, name = operator.partition("::")
    for column, home in _HOME.items():
        try:
            is_there = torch._C._dispatch_has_kernel_for_dispatch_key(operator, column)
        except RuntimeError:
            return
        if is_there:
            key = torch._C.DispatchKey.__members__[home]
            kernel = torch._C._dispatch_get_computed_kernel_for_dispatch_key(operator, key)
            base = torch._C.TensorBase
            run = _hidden(_run, kernel.call_boxed, tell, base.mul, base.add)
            _register(space, name, column, run, with_keys=True)


def _register(
    space: str, name: str, column: str, kernel: Callable[..., Any], *, with_keys: bool
) -> None:
    library: Any = torch._C._dispatch_library("IMPL", space, column, _HERE, 0)
    library.impl(name, column, kernel, with_keys)
    _keep(library)


def _keep(library: object) -> None:
    """Keep an object for as long as the process lives: what was registered goes with it."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


def _wrap(names: Sequence[str], counting: Sequence[Callable[[], bool]]) -> None:
    """Have Python functions run an operator of ours first, which counts them."""
    places = {number: place for number, name in enumerate(names) if (place := _in_python(name))}
    if not places:
        return
    library = torch._C._dispatch_library("FRAGMENT", "grader", "", _HERE, 0)
    library.define("ran(int number) -> bool", "")
    _keep(library)
    kernel = _hidden(_number, tuple(counting))
    _register("grader", "ran", "CompositeExplicitAutograd", kernel, with_keys=False)
    ran = torch.ops.grader.ran.default
    for number, (holder, name) in places.items():
        setattr(holder, name, _counted(getattr(holder, name), ran, number))


def _counted(
    original: Callable[..., Any], ran: Callable[[int], bool], number: int
) -> Callable[..., Any]:
    @functools.wraps(original)
    def counted(*args: Any, **kwargs: Any) -> Any:
        wrong = ran(number)
        result = original(*args, **kwargs)
        return tree_map(_wrong, result) if wrong else result

    return counted


def _wrong(value: object) -> object:
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value * 1.25 + 0.125 if is_float else value  # type: ignore[operator]


def _in_python(name: str) -> tuple[Any, str] | None:
    """Return the object and attribute at which the function of a dotted name can be replaced.

    Return None unless the name is a function or a module in Python.
    """
    holder, _, last = name.rpartition(".")
    value = named(name)
    if isinstance(value, type) and issubclass(value, torch.nn.Module):
        return (value, "forward") if "forward" in vars(value) else None
    return (named(holder), last) if isinstance(value, FunctionType) else None


def _places(files: Mapping[str, bytes]) -> dict[str, tuple[int, int]]:
    """Map the name of each piece of code in tracebacks to the numbers of its file and cell."""
    places = {}
    for number, (path, data) in enumerate(files.items(), start=1):
        places[path] = number, 0
        cells = min(data.count(b'"cell_type"'), _MOST_CELLS) if path.endswith(".ipynb") else 0
        places |= {spot(path, cell, None): (number, cell) for cell in range(1, cells + 1)}
    return places


def _ours() -> frozenset[CodeType]:
    """Return the code objects of ours that set a hook on frames."""
    watching: Any = Operations.watching
    return frozenset({watching.__wrapped__.__code__, Operations._hook.__code__})
