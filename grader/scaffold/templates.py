"""What a new exercise starts as: a small example that grades, with a TODO wherever it must change.

Every criterion has a check, and every check a mistake that it catches.
"""

from __future__ import annotations

from string import Template

REFERENCE_HEAD = Template('''\
"""TODO($slug): the title of the assignment.

TODO($slug): what it is about, and why.

Shape letters: B batch, D width.
"""

import torch
$nn
''')

FUNCTION = Template('''\
def $target(x: torch.Tensor) -> torch.Tensor:
    """TODO($slug): say in one line what is returned.

    TODO($slug): explain it: the equation, and what is an error.
    Until then it is an example: x / (1 + exp(-x)), number by number.

    Shapes
        x        (B, D)
        returns  (B, D), dtype and device as x's

    Example:

        >>> $target(torch.zeros(2, 3)).shape
        torch.Size([2, 3])
    """
    # BEGIN SOLUTION
    # TODO($slug): write the solution.
    gate = torch.sigmoid(x)  # B D
    return x * gate
    # END SOLUTION
''')

CLASS = Template('''\
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

PUBLIC_FUNCTION = Template('''\
"""$slug, public criteria: shapes and values.

TODO($slug): one check for each thing that the hand-out promises.
"""

B, D = 2, 5


class TestShapes:
    def test_output(self, student, probe, expect):
        """The result has the shape of x."""
        expect.shape(student.$target(probe.randn(B, D)), (B, D), what="result")


class TestOutputs:
    def test_values(self, student, reference, probe, expect):
        """The values are right."""
        expect.matches(student.$target, reference.$target, probe.randn(B, D))
''')

HIDDEN_FUNCTION = Template('''\
"""$slug, hidden criteria: gradients and state.

TODO($slug): one check for each thing that can go wrong without showing in the values.
"""

import pytest

B, D = 2, 5


class TestGradients:
    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        expect.gradients(student.$target, reference.$target, probe.randn(B, D))


class TestState:
    def test_input_is_not_modified(self, student, probe, expect):
        """x is the same after the call as before it."""
        expect.unchanged(student.$target, probe.randn(B, D))
''')

PUBLIC_CLASS = Template('''\
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

HIDDEN_CLASS = Template('''\
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

MISCONCEPTIONS_HEAD = Template('''\
"""Mistakes that people make in $stem."""

from grader.misconceptions import Misconception

MISCONCEPTIONS = (
)
''')

VARIANTS_HEAD = Template('''\
"""Other right ways to write $stem."""

from grader.misconceptions import Variant

VARIANTS = (
)
''')

MISCONCEPTIONS_FUNCTION = Template("""\
    # TODO($slug): the mistakes that people really make; each check needs one that fails it.
    Misconception(
        id="$short.summed",
        mistakes=(),
        target="$target",
        replace="return x * gate",
        by="return (x * gate).sum(dim=-1)",
        fails=("shapes", "outputs"),
        cause="The last axis is summed away.",
    ),
    Misconception(
        id="$short.gate_alone",
        mistakes=(),
        target="$target",
        replace="return x * gate",
        by="return gate",
        fails=("outputs",),
        cause="The result is not multiplied by x.",
    ),
    Misconception(
        id="$short.gate_detached",
        mistakes=(),
        target="$target",
        replace="torch.sigmoid(x)",
        by="torch.sigmoid(x.detach())",
        fails=("gradients",),
        cause="`detach` keeps part of the gradient from x.",
    ),
    Misconception(
        id="$short.input_changed",
        mistakes=(),
        target="$target",
        replace="return x * gate",
        by="return x.mul_(gate)",
        fails=("state",),
        cause="x is changed in place.",
    ),
""")

MISCONCEPTIONS_CLASS = Template("""\
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

VARIANTS_FUNCTION = Template("""\
    # TODO($slug): other right ways; they all get full marks.
    Variant(
        id="$short.with_exp",
        target="$target",
        edits=(("torch.sigmoid(x)", "1 / (1 + torch.exp(-x))"),),
    ),
""")

VARIANTS_CLASS = Template("""\
    # TODO($slug): other right ways; they all get full marks.
    Variant(
        id="$short.matrix_product",
        target="$target",
        edits=(("self.linear(x)", "x @ self.linear.weight.T + self.linear.bias"),),
    ),
""")

BLANK_ANSWERS = '''\
"""What answers may earn in which nobody understood anything.

`grader validate` makes answers of zeros, ones, constants, random numbers and the input itself for
every exercise. Such an answer earns nothing, but for these criteria.
"""

MAY_EARN = {
    "shapes": "zeros of the right shape have the right shape",
    "state": "an input left alone says nothing about values",
}
"""Criterion, or slug/criterion -> why any blank answer may earn it."""
'''

ENTRIES = {
    "MISCONCEPTIONS": (MISCONCEPTIONS_HEAD, MISCONCEPTIONS_FUNCTION, MISCONCEPTIONS_CLASS),
    "VARIANTS": (VARIANTS_HEAD, VARIANTS_FUNCTION, VARIANTS_CLASS),
}
"""By the tuple's name: the file around it, and its entries for a function and for a class."""

RUBRIC_ENTRY = Template("""\
$slug:  # TODO($slug): points, criteria, and what may not be used (banned)
  targets: [$target]
  criteria:
    shapes:    {points: 1, visibility: public}
    outputs:   {points: 6, visibility: public}
    gradients: {points: 2, visibility: hidden, requires: [outputs]}
    state:     {points: 1, visibility: hidden}
""")

RUBRIC_HEAD = Template("""\
# The only place with points.
course: $course
# The course's own seed: the checks marked `fresh` draw from it and from the submission.
# Whoever has it can predict them.
seed: $seed
assignments:
  $prefix: $stem

exercises:
""")
