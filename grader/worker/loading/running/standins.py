"""Inert objects in place of modules that are not there while grading.

At load time anything may be done with one and nothing happens. In graded code, using one raises
ModuleNotFoundError, because then its absence would decide the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Self

from ....text.language import _

_USES = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul "
    "rmatmul and rand xor rxor lshift rlshift rshift rrshift iadd isub imul itruediv ifloordiv "
    "imod ipow imatmul iand ior ixor neg pos abs invert round getitem enter"
)
_COMPARISONS = "lt le gt ge"
_SILENT = "setitem delitem"


class Gate:
    """A flag that all stand-ins of a submission share: set while graded code runs."""

    def __init__(self) -> None:
        self.graded = False


class Standin:
    """An object called `name`, such as `matplotlib.pyplot.plot`, that does nothing."""

    def __init__(self, name: str, gate: Gate, why: str) -> None:
        self.__dict__.update(__name__=name, __version__="0", __all__=[], __path__=[])
        self.__dict__.update(_gate=gate, _why=why, _base=None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        child = Standin(f"{self.__name__}.{name}", self._gate, self._why)
        self.__dict__[name] = child
        return child

    def _use(self) -> None:
        if self._gate.graded:
            raise ModuleNotFoundError(
                _("`{name}` is used here, but {why}", name=self.__name__, why=self._why),
                name=self.__name__,
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._use()
        if len(args) == 1 and not kwargs and isinstance(args[0], FunctionType | type):
            return args[0]  # a decorator: what it decorates stays usable
        return Standin(f"{self.__name__}(…)", self._gate, self._why)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        if self._base is None:
            body = {"_standin": self, "__module__": __name__}
            self.__dict__["_base"] = type(self.__name__.rpartition(".")[2], (_Base,), body)
        return (self._base,)

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        self._use()
        return iter(())

    def __len__(self) -> int:
        self._use()
        return 0

    def __bool__(self) -> bool:
        return True

    def __contains__(self, item: Any) -> bool:
        self._use()
        return False

    def __int__(self) -> int:
        self._use()
        return 0

    __index__ = __int__

    def __float__(self) -> float:
        self._use()
        return 0.0

    def __exit__(self, *exception: object) -> None:
        return None

    def __or__(self, other: Any) -> Standin:
        return self  # `Image.Image | None` in an annotation

    __ror__ = __or__

    def __copy__(self) -> Standin:
        return self

    def __deepcopy__(self, memo: object) -> Standin:
        return self

    def __repr__(self) -> str:
        return f"<stand-in for {self.__name__}>"


def is_standin(value: object) -> bool:
    """Tell whether a value is a stand-in, by its real type.

    `__class__` is the student's to overwrite.
    """
    return type(value) is Standin


def _inert(result: Callable[[Standin], object]) -> Callable[..., object]:
    def use(self: Standin, *args: object) -> object:
        self._use()
        return result(self)

    return use


for _name in _USES.split():
    setattr(Standin, f"__{_name}__", _inert(lambda self: self))
for _name in _COMPARISONS.split():
    setattr(Standin, f"__{_name}__", _inert(lambda self: False))
for _name in _SILENT.split():
    setattr(Standin, f"__{_name}__", _inert(lambda self: None))


class _Base:
    """Replaces a stand-in as the base of a class."""

    _standin: Standin

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        cls._standin._use()
        return super().__new__(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return getattr(self._standin, name)
