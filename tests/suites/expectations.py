"""Expectations that several suites share."""

from . import reasons


def expect_same_again(expect, ask, module, *args, answer, what, atol=1e-5, **kwargs):
    """Require the same answer in a process that has not seen this input.

    `ask(expect, module, ...)` calls the module and ends the check if what comes back is no answer.
    """

    def why():
        first, second = (ask(expect, module, *args, **kwargs) for _ in range(2))
        return reasons.another_each_time(first, second)

    again = ask(expect, module.apart, *args, **kwargs)
    expect.close(again, answer, what=what, atol=atol, why=why)


def expect_path_back(expect, result, expected):
    """Require that gradients come back from `result`, a tensor of any shape."""
    expect.true(
        result.requires_grad,
        observed="no gradient",
        expected=expected,
        why=lambda: reasons.NO_GRADIENT,
    )
