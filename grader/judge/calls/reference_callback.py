"""Let student code call one function of the reference instead of its own.

The reference itself never leaves this process: a call comes in like any message, is checked, and
values and gradients go out.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from ...text.language import _
from .faults import CheckFailed, NotRecorded

MAX_CALLS = 500
"""The most calls in one check. The suites' own checks make a few dozen."""
MAX_NUMBERS = 1 << 18
"""The most numbers in one call's arguments, by shape: an expanded tensor counts in full."""
MAX_NUMBERS_IN_ALL = 1 << 22
"""The most numbers in and out in one check: gradients keep what the student does not release."""
MAX_MEMORY_BYTES = 512 << 20
PLAIN = (bool, int, float, str, type(None), torch.dtype)


class Answers:
    """A function of the reference that student code may call, within limits."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name, self._function = name, function
        self.calls = 0
        self._numbers = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the reference's function and return its value.

        Raises:
            StudentFault: too many calls, or arguments that it cannot take.
        """
        self.calls += 1
        if self.calls > MAX_CALLS:
            observed = _("called {name} more than {count} times", name=self._name, count=MAX_CALLS)
            raise CheckFailed(observed, _("fewer calls"))
        leaves = tree_leaves((args, kwargs))
        if any(not isinstance(leaf, (torch.Tensor, *PLAIN)) for leaf in leaves):
            raise self._refusal(_("something that is no tensor and no number"))
        count = _count(leaves)
        if count > MAX_NUMBERS or self._numbers > MAX_NUMBERS_IN_ALL:
            raise self._refusal(_("far more numbers than it was given"))
        try:
            with _bounded_memory():
                value = self._function(*args, **kwargs)
        except NotRecorded:
            raise
        except Exception as error:
            raise self._refusal(
                _("arguments that raise {error}", error=type(error).__name__)
            ) from None
        self._numbers += count + _count(tree_leaves(value))
        return value

    def _refusal(self, what: str) -> CheckFailed:
        observed = _("called {name} with {what}", name=self._name, what=what)
        return CheckFailed(observed, _("arguments that it can take"))


def _count(leaves: list[Any]) -> int:
    return sum(leaf.numel() for leaf in leaves if isinstance(leaf, torch.Tensor))


@contextmanager
def _bounded_memory() -> Iterator[None]:
    """Limit the memory of this process while it runs a call for student code.

    Where the system does not tell how much is in use, the limit on the arguments has to do.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = pages * resource.getpagesize() + MAX_MEMORY_BYTES
    if soft != resource.RLIM_INFINITY:
        bound = min(bound, soft)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
