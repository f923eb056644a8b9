"""The exercise that `grader new` begins with where the target is a function."""

from __future__ import annotations

from string import Template

DEFINITION = Template('''\
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

PUBLIC = Template('''\
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

HIDDEN = Template('''\
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

MISCONCEPTIONS = Template("""\
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

VARIANTS = Template("""\
    # TODO($slug): other right ways; they all get full marks.
    Variant(
        id="$short.with_exp",
        target="$target",
        edits=(("torch.sigmoid(x)", "1 / (1 + torch.exp(-x))"),),
    ),
""")
