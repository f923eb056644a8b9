"""a4.mlp, hidden criteria: keywords, modes, state, numerics, gradients."""

import pytest
import torch
from torch.nn import functional as F

from .. import reasons
from ..dropped import expect_drawn_anew
from ..expectations import expect_no_dropout, expect_path_back, expect_same_again, expect_same_state

D, E, HIDDEN = 10, 3, 40
TOKENS = (2, 5, D)


def run(expect, module, x):
    """Call the student's module; the output has the shape of x and no NaN, or the check ends."""
    output = module(x)
    expect.floats(output, x.shape, what="output")
    expect.finite(output, what="output")
    return output


def expect_answer(expect, module, x):
    """Return the output for x in eval mode. Another x gives another, and the same again in a
    process that has not seen it, or the check ends: what does not come from x proves nothing."""
    module.eval()
    output, other = run(expect, module, x), run(expect, module, -x)
    expect_same_again(expect, run, module, -x, answer=other, what="output of the same x once more")
    expect.true(
        bool((other - output).abs().amax() > 1e-6 and (output - x).abs().amax() > 1e-6),
        observed="the output does not depend on x, or is x itself",
        expected="something computed from x",
    )
    return output


class TestKeywords:
    def test_function_gets_them(self, student, probe, expect):
        """What is given by name goes on to fn by name, as it is."""
        x, shift = probe.randn(*TOKENS), probe.randn(D)

        def fn(x, *, shift, times=1):
            expect.floats(x, TOKENS, what="what fn is called with")
            expect.floats(shift, (D,), what="the keyword that fn gets")
            expect.true(
                type(times) is int,
                observed="a number given by name arrives as something else",
                expected="the number",
            )
            return times * torch.sin(x) + shift

        residual = student.ResidualAdd(fn)
        expect.close(residual(x, shift=shift), x + torch.sin(x) + shift)
        expect.close(residual(x, times=3, shift=shift), x + 3 * torch.sin(x) + shift)

    def test_module_gets_them(self, student, probe, expect):
        """So it does if fn is a Module."""
        layer = student.nn.Bilinear(D, E, D).double()
        weights = dict(layer.named_parameters())
        x, other = probe.randn(5, D), probe.randn(5, E)
        expected = x + F.bilinear(x, other, weights["weight"], weights["bias"])
        expect.close(student.ResidualAdd(layer)(x, input2=other), expected)

    def test_function_without_any(self, student, probe, expect):
        """A function that takes x alone is called with x alone, and once."""
        calls = []

        def fn(x):
            calls.append(x)
            expect.floats(x, TOKENS, what="what fn is called with")
            return torch.cos(x)

        x = probe.randn(*TOKENS)
        expect.close(student.ResidualAdd(fn)(x), x + torch.cos(x))
        expect.true(
            len(calls) == 1, observed=f"{len(calls)} calls of fn", expected="one call of fn"
        )


class TestModes:
    """Which numbers are dropped is random and is never asked. All tokens are alike, so that they
    differ by what was dropped alone: 2,000 tokens are 20,000 numbers."""

    COUNT, MANY = 2000, 32_000

    def in_train_mode(self, probe, expect, p, count=COUNT):
        """Return the output for one token in eval mode, and for many like it in train mode."""
        mlp = probe.module("FeedForward", D, dropout=p)
        token = probe.randn(1, D)
        calm = expect_answer(expect, mlp, token)
        mlp.train()
        return calm.detach(), run(expect, mlp, token.expand(count, D).contiguous()).detach()

    def test_share_that_is_dropped(self, probe, expect):
        """In train mode the share `dropout` of what comes out of fc2 is 0."""
        _, wild = self.in_train_mode(probe, expect, 0.3)
        share = (wild == 0).double().mean()
        # The standard deviation is 0.003.
        expect.close(share, torch.tensor(0.3), what="share that is dropped", atol=0.03)

    def test_dropped_inside_too(self, probe, expect):
        """What goes into fc2 is dropped too: outputs that survive differ from each other."""
        calm, wild = self.in_train_mode(probe, expect, 0.3)
        spread = [column[column != 0].std() for column in wild.T]
        expect.true(
            all(bool(std > 0.05 * calm.abs().mean()) for std in spread),
            observed="outputs that survive are all alike",
            expected="other outputs from token to token, as other numbers go into fc2",
        )

    def test_mean_stays(self, probe, expect):
        """What survives grows by 1 / (1 - dropout), inside and after: on average the output is what
        it is in eval mode."""
        calm, wild = self.in_train_mode(probe, expect, 0.2)
        expect.true(
            bool(wild.std(dim=0).amin() > 0),
            observed="train mode drops nothing",
            expected="some numbers dropped in each call",
            why=lambda: None if wild.std(dim=0).any() else reasons.NOTHING_DROPPED,
        )
        error = (wild.mean(dim=0) - calm[0]) / wild.std(dim=0) * self.COUNT**0.5
        expect.true(
            error.abs().max().item() < 7,
            observed="in train mode outputs are smaller or larger on average than in eval mode",
            expected="the same on average",
            why=lambda: reasons.MEAN_MOVES,
        )

    def test_dropped_behind_the_activation(self, probe, expect):
        """What goes into fc2 is dropped behind the GELU, which would bend what has grown."""
        calm, wild = self.in_train_mode(probe, expect, 0.5, self.MANY)
        spread = wild.std(dim=0).clamp(min=1e-9)
        error = (wild.mean(dim=0) - calm[0]) / spread * self.MANY**0.5
        expect.true(
            error.abs().max().item() < 7,
            observed="with half of all numbers dropped, outputs are others on average",
            expected="the same on average as in eval mode",
        )

    def test_each_call_draws_anew(self, probe, expect):
        """Two calls in train mode drop different numbers."""
        mlp = probe.module("FeedForward", D, dropout=0.5)
        x = probe.randn(self.COUNT, D)
        expect_answer(expect, mlp, x)
        mlp.train()
        first, second = (run(expect, mlp, x) == 0 for _ in range(2))
        expect_drawn_anew(expect, first, second, atol=0.06)

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        mlp = probe.module("FeedForward", D)
        x = probe.randn(*TOKENS)
        calm = expect_answer(expect, mlp, x)
        expect_no_dropout(expect, run, mlp, x, answer=calm, what="output in train mode", atol=1e-6)


class TestState:
    def test_number_of_parameters(self, student, expect):
        """Two linear maps with bias are all there is to train in FeedForward."""
        parameters = student.FeedForward(D, expansion=3).parameters()
        count, expected = sum(p.numel() for p in parameters), 2 * 3 * D * D + 4 * D
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_module_is_registered(self, student, expect):
        """The parameters of a Module are parameters of its ResidualAdd, and there are no others."""
        residual = student.ResidualAdd(student.nn.Linear(D, D))
        count = sum(parameter.numel() for parameter in residual.parameters())
        expected = D * D + D
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_input_of_a_residual(self, student, probe, expect):
        """x is the same after the call as before it, even if fn gives x itself back."""
        x = probe.randn(*TOKENS)
        residual = student.ResidualAdd(student.nn.Identity())
        expect.close(expect.unchanged(residual, x), 2 * x)

    def test_result_of_the_function(self, student, probe, expect):
        """What fn returned is left alone, as its own gradient may need it."""
        x = probe.randn(*TOKENS).requires_grad_()
        output = run(expect, student.ResidualAdd(student.nn.Tanh()), x * 1)
        expect_path_back(expect, output, expected="a gradient that fn passes on")
        (gradient,) = torch.autograd.grad(output.sum(), x, materialize_grads=True)
        expect.true(
            bool((gradient > 0.5).all()),
            observed="a gradient that cannot be",
            expected="the gradient of x + tanh(x)",
        )

    def test_input_of_a_feed_forward(self, probe, expect):
        """x is the same after the call as before it."""
        expect.unchanged(probe.module("FeedForward", D), probe.randn(*TOKENS))

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second FeedForward that loads the first one's state_dict computes the same."""
        first, second = (probe.module("FeedForward", D) for _ in range(2))
        x = probe.randn(*TOKENS)
        state, wanted = first.state(), expect_answer(expect, first, x)
        expect.true(
            bool(((run(expect, second, x) - wanted).abs() > 1e-3).any()),
            observed="the output does not depend on the weights",
            expected="different outputs for different weights",
        )
        second.load(state)
        expect_same_state(expect, run, second, x, answer=wanted, what="output", atol=1e-6)

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: probe.module("FeedForward", D), probe.randn(*TOKENS))


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output of FeedForward is finite and has that dtype."""
        mlp = probe.module("FeedForward", D, dtype=dtype)
        output = expect_answer(expect, mlp, probe.randn(*TOKENS, dtype=dtype))
        expect.dtype(output, dtype, what="output")

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_of_a_residual(self, student, probe, expect, dtype):
        """The sum has the dtype of x."""
        x = probe.randn(*TOKENS, dtype=dtype)
        output = run(expect, student.ResidualAdd(student.nn.Tanh()), x)
        expect.dtype(output, dtype, what="output")
        expect.close(output, x + torch.tanh(x), atol=3e-2)


class TestGradients:
    def test_gradient_goes_both_ways(self, student, probe, expect):
        """ResidualAdd passes a gradient on past fn, and through it."""
        layer = student.nn.Linear(D, D).double()
        residual = student.ResidualAdd(layer)
        weights = dict(residual.named_parameters())
        x, probed = probe.randn(*TOKENS).requires_grad_(), probe.randn(*TOKENS)
        output = run(expect, residual, x * 1)
        expect_path_back(expect, output, expected="a gradient for x")
        expect.true(
            len(weights) == 2,
            observed=f"{len(weights)} parameters",
            expected="the two of the layer that fn is",
        )
        sources = [x, *weights.values()]
        found = torch.autograd.grad((output * probed).sum(), sources, materialize_grads=True)
        weight = dict(layer.named_parameters())["weight"].detach()
        expect.close(found[0], probed + probed @ weight, what="gradient of x")
        for name, gradient in zip(weights, found[1:], strict=True):
            expect.true(
                gradient.abs().max().item() > 1e-6,
                observed=f"{name} gets no gradient",
                expected="a gradient for every parameter of fn",
                why=lambda: reasons.NO_GRADIENT,
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On inputs and weights drawn for this submission, all gradients of FeedForward are
        right."""
        pair = probe.pair("FeedForward", D)
        expect.gradients(pair.student, pair.reference, probe.randn(*TOKENS))
