"""Call the grader's own functions on behalf of student code.

A call that does not fit the function's signature is the student's mistake.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ...text.language import _, ngettext
from .faults import CheckFailed


def call_lent(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `function` and return its value; an exception that it raises is the grader's own fault.

    Raises:
        CheckFailed: the arguments do not fit its signature.

    >>> call_lent(lambda x, *, scale: x * scale, (3,), {"scale": 2})
    6
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some of those written in C have none
        return function(*args, **kwargs)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        raise _misfit(function, signature, args, kwargs) from None
    return function(*args, **kwargs)


def _misfit(
    function: Callable[..., Any],
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> CheckFailed:
    name = getattr(function, "__name__", "")
    name = name if name.isidentifier() else ""
    known = [f"{word}=…" for word in signature.parameters if word in kwargs]
    invented = sorted(set(kwargs) - set(signature.parameters))
    names = [*["…"] * min(len(args), 9), *known]
    if invented:
        # A name that is made while running could tell a hidden input: it stands in `detail`.
        names.append(ngettext("a keyword that it does not have", "other keywords", len(invented)))
    plain = [
        parameter.replace(annotation=parameter.empty, default=parameter.empty)
        for parameter in signature.parameters.values()
    ]
    return CheckFailed(
        _(
            "called {name} with ({arguments})",
            name=name or _("the function that it was given"),
            arguments=", ".join(names),
        ),
        _("a call that fits {signature}", signature=f"{name}{inspect.Signature(plain)}"),
        detail=", ".join(invented)[:200],
    )
