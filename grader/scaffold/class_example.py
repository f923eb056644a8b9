"""The exercise that `grader new` begins with where the target is a module."""

from __future__ import annotations

from string import Template

DEFINITION = Template('''\
class $target(nn.Module):
    """TODO($slug): say in one line what it computes.

    TODO($slug): explain it: the equation, and what is an error.
    Until then it is an example: a linear map and then tanh.

    Arguments
        d_in   width of what comes in
        d_out  width of the result

    A name that the grader looks for: `linear` (nn.Linear).

    Example:

        >>> $target(d_in=3, d_out=2)(torch.zeros(4, 3)).shape
        torch.Size([4, 2])
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        """Create the parameters."""
        super().__init__()
        # BEGIN SOLUTION
        self.linear = nn.Linear(d_in, d_out)
        # END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the result for each row of x.

        Shapes
            x        (B, d_in)
            returns  (B, d_out), dtype and device as x's
        """
        # BEGIN SOLUTION
        # TODO($slug): write the solution.
        y: torch.Tensor = self.linear(x)  # B d_out
        return torch.tanh(y)
        # END SOLUTION
''')

PUBLIC = Template('''\
"""$slug, public criteria: shapes and values.

TODO($slug): one check for each thing that the hand-out promises.
"""

import torch

B, D_IN, D_OUT = 2, 5, 3


class TestShapes:
    def test_output(self, student, probe, expect):
        """(B, d_in) becomes (B, d_out)."""
        output = student.$target(D_IN, D_OUT)(probe.randn(B, D_IN, dtype=torch.float32))
        expect.shape(output, (B, D_OUT), what="result")


class TestOutputs:
    def test_values(self, probe, expect):
        """With the same weights, the values are right."""
        twin = probe.twin("$target", D_IN, D_OUT)
        expect.matches(twin.student, twin.reference, probe.randn(B, D_IN))
''')

HIDDEN = Template('''\
"""$slug, hidden criteria: gradients and state.

TODO($slug): one check for each thing that can go wrong without showing in the values.
"""

import pytest

B, D_IN, D_OUT = 2, 5, 3


class TestGradients:
    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        twin = probe.twin("$target", D_IN, D_OUT)
        expect.gradients(twin.student, twin.reference, probe.randn(B, D_IN))


class TestState:
    def test_input_is_not_modified(self, probe, expect):
        """x is the same after the call as before it."""
        expect.unchanged(probe.twin("$target", D_IN, D_OUT).student, probe.randn(B, D_IN))
''')

MISCONCEPTIONS = Template("""\
    # TODO($slug): the mistakes that people really make; each check needs one that fails it.
    Misconception(
        id="$short.summed",
        mistakes=(),
        target="$target",
        replace="return torch.tanh(y)",
        by="return torch.tanh(y).sum(dim=-1)",
        fails=("shapes", "outputs"),
        cause="The last axis is summed away.",
    ),
    Misconception(
        id="$short.no_tanh",
        mistakes=(),
        target="$target",
        replace="return torch.tanh(y)",
        by="return y",
        fails=("outputs",),
        cause="The tanh is missing.",
    ),
    Misconception(
        id="$short.input_detached",
        mistakes=(),
        target="$target",
        replace="self.linear(x)",
        by="self.linear(x.detach())",
        fails=("gradients",),
        cause="`detach` keeps the gradient from x.",
    ),
    Misconception(
        id="$short.input_changed",
        mistakes=(),
        target="$target",
        replace="return torch.tanh(y)",
        by="with torch.no_grad():\\n            x.zero_()\\n        return torch.tanh(y)",
        fails=("gradients", "state"),
        cause="x is changed in place.",
    ),
""")

VARIANTS = Template("""\
    # TODO($slug): other right ways; they all get full marks.
    Variant(
        id="$short.matrix_product",
        target="$target",
        edits=(("self.linear(x)", "x @ self.linear.weight.T + self.linear.bias"),),
    ),
""")
