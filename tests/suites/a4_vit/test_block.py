"""a4.block, hidden criteria: wiring, masking, modes, state, numerics, gradients.

Where it can be, a student's block is compared with itself: what its attention or its MLP computes
wrongly costs `outputs` and nothing here. A branch is switched off by zeros in its last layer.
"""

import pytest
import torch

from .. import proofs, reasons
from ..dropped import DRAWS, expect_drops_inside
from ..expectations import (
    expect_finite_gradient,
    expect_gradient,
    expect_hidden_whatever_their_scores,
    expect_no_dropout,
    expect_path_back,
    expect_same_again,
    expect_same_state,
)

B, T, D, H = 2, 5, 12, 3
MANY = 32
BLOCK = 2 * 2 * D + 4 * (D * D + D) + 2 * 4 * D * D + 5 * D
"""Two norms, the four maps of the attention, the MLP."""
BOTH = pytest.mark.parametrize(
    "name", ["EncoderBlock", "PostNormEncoderBlock"], ids=["pre-norm", "post-norm"]
)
LAST = {"attention": "attention.projection", "mlp": "mlp.fc2"}


def draw(probe, batch=B, dtype=torch.float64, scale=1.0):
    return probe.randn(batch, T, D, dtype=dtype, scale=scale)


def run(expect, block, x, *mask, **named):
    """Call the student's block; the output has the right shape and no NaN, or the check ends."""
    output = block(x, *mask, **named)
    expect.floats(output, x.shape, what="output")
    expect.finite(output, what="output")
    return output


def moved(one, other):
    """Return for each sample and token whether the two differ, (B, T)."""
    return (one - other).detach().abs().amax(-1) > 1e-6


def expect_answer(expect, block, x):
    """Return the output. Other tokens give others, and the same again in a process that has not
    seen them, and it is not just the tokens; or the check ends: what does not come from the tokens
    proves nothing."""
    output, other = run(expect, block, x), run(expect, block, -x)
    expect_same_again(expect, run, block, -x, answer=other, what="output once more")
    seen = moved(other, output).all() and moved(output, x).all()
    expect.true(
        bool(seen and moved(output[:, 1:], output[:, :1]).all()),
        observed="the output does not depend on the tokens, or is nothing else",
        expected="other outputs for other tokens",
    )
    return output


def switches(pair):
    """Return a function that leaves the branches named on and switches the others off."""
    module = pair.reference.module
    drawn = {
        f"{last}.{kind}": getattr(module.get_submodule(last), kind).detach().clone()
        for last in LAST.values()
        for kind in ("weight", "bias")
    }

    def leave(*branches):
        names = [LAST[branch] for branch in branches]
        pair.write(
            {
                name: value if name.rpartition(".")[0] in names else torch.zeros_like(value)
                for name, value in drawn.items()
            }
        )
        return pair.student

    return leave


def without_affine_norms(pair, expect, x):
    """Take gain and bias from the norms; return whether that has left every token normalised.

    Of bare parameters it need not: which of them is the gain is found out by numbers only.
    """
    norms = ("norm1", "norm2")
    pair.write({f"{norm}.weight": torch.ones(D, dtype=x.dtype) for norm in norms})
    pair.write({f"{norm}.bias": torch.zeros(D, dtype=x.dtype) for norm in norms})
    output = run(expect, pair.student.eval(), x)
    spread = output.std(-1, correction=0) - 1
    return bool((output.mean(-1).abs() < 1e-3).all() and (spread.abs() < 1e-2).all())


class TestWiring:
    def test_block_that_adds_nothing(self, probe, expect):
        """If both branches add zeros, what comes out is what came in."""
        pair = probe.pair("EncoderBlock", D, H)
        x = draw(probe)
        expect_answer(expect, pair.student, x)
        block = switches(pair)()
        calm = run(expect, block, x)
        expect.close(
            calm,
            x,
            what="output of a block whose last layers are zero",
            atol=1e-5,
            why=lambda: proofs.around_branches(calm, x, run(expect, block, 3.0 * x + 5.0)),
        )

    @pytest.mark.parametrize("branch", ["attention", "mlp"])
    def test_branch_reads_a_normalised_copy(self, probe, expect, branch):
        """What a branch adds does not change when tokens grow, or all their features rise."""
        pair = probe.pair("EncoderBlock", D, H)
        x = draw(probe, scale=8.0)
        expect_answer(expect, pair.student, x)
        block = switches(pair)(branch)
        added = run(expect, block, x) - x
        larger = (2.0 + probe.rand(B, T, 1)) * x + probe.randn(B, T, 1, scale=5.0)
        expect.true(
            bool((added.abs().amax(-1) > 1e-3).all()),
            observed=f"the {branch} branch adds nothing",
            expected="a branch that adds to every token",
        )

        def why():
            alike = 3.0 * x + 5.0  # all tokens by one factor
            return proofs.norm_over_tokens(run(expect, block, alike) - alike, added)

        expect.close(
            run(expect, block.apart, larger) - larger,
            added,
            what=f"what the {branch} adds",
            atol=1e-4,
            why=why,
        )

    def test_mlp_reads_what_attention_left(self, probe, expect):
        """The block does what its two halves do one after the other, attention first."""
        pair = probe.pair("EncoderBlock", D, H)
        x = draw(probe)
        whole = expect_answer(expect, pair.student, x)
        leave = switches(pair)
        between = run(expect, leave("attention"), x)
        expect.true(
            bool(moved(between, x).all()),
            observed="the attention adds nothing",
            expected="a branch that adds to every token",
        )
        after = run(expect, leave("mlp").apart, between)
        expect.close(after, whole, what="output of one half after the other", atol=1e-5)

    def test_norms_after_adding(self, probe, expect):
        """PostNormEncoderBlock: if both branches add zeros, what comes out went through both norms
        and nothing else."""
        pair = probe.pair("PostNormEncoderBlock", D, H)
        x = draw(probe)
        expect_answer(expect, pair.student, x)
        switches(pair)()
        expect.matches(pair.student, pair.reference, x)


class TestMasking:
    @BOTH
    @pytest.mark.parametrize("kind", ["for-all", "one-a-sample"])
    def test_mask_decides_who_is_seen(self, probe, expect, name, kind):
        """A token is seen by those that the mask allows to, and by nobody else."""
        block = probe.module(name, D, H)
        x = draw(probe)
        if kind == "for-all":
            mask = probe.mask(T, T)
            allowed = mask.expand(B, T, T)
            before = run(expect, block, x, mask)
        else:
            mask = allowed = probe.mask(B, T, T)
            before = run(expect, block, x, mask=mask)
        others = ~torch.eye(T, dtype=torch.bool)

        def why():
            at = torch.eye(T, dtype=x.dtype).unsqueeze(-1)  # T T 1
            step = torch.linspace(-1.0, 2.0, D, dtype=x.dtype) ** 2  # D
            each = [moved(run(expect, block, x + one * step, mask), before) for one in at]
            same = not bool(moved(run(expect, block, x), before).any())
            return proofs.reading_of(torch.stack(each, dim=-1), allowed, others, same)

        for place in range(T):
            changed = x.clone()
            changed[:, place] += probe.randn(B, D)
            seen = moved(run(expect, block.apart, changed, mask=mask), before)
            expected = allowed[:, :, place] | (torch.arange(T) == place)
            expect.true(
                bool((seen == expected).all()),
                observed=f"whether token {place} is seen does not follow the mask",
                expected="the mask decides",
                why=why,
            )
        alone = ~others if kind == "for-all" else ~others.expand(MANY, T, T)
        expect_hidden_whatever_their_scores(
            expect,
            lambda tokens: run(expect, block, tokens, alone),
            block,
            draw(probe, batch=MANY),
            others,
        )


class TestModes:
    @BOTH
    def test_eval_repeats_itself(self, probe, expect, name):
        """In eval mode dropout does nothing, and train mode gives something else."""
        block = probe.module(name, D, H, dropout=0.5)
        x = draw(probe, batch=16)
        calm = expect_answer(expect, block, x)
        wild = run(expect, block.train(), x)
        expect.true(
            bool(moved(wild, calm).any()),
            observed="train mode and eval mode give the same output",
            expected="dropout in train mode",
            why=lambda: reasons.NOTHING_DROPPED,
        )
        again = run(expect, block.eval().apart, x)
        expect.close(again, calm, what="output in eval mode", atol=1e-6)
        without = probe.module(name, D, H)
        without.load(block.state())
        expect.close(calm, run(expect, without.apart, x), what="output in eval mode", atol=1e-6)

    @BOTH
    def test_no_dropout(self, probe, expect, name):
        """With a dropout of 0, train mode gives what eval mode gives."""
        block = probe.module(name, D, H)
        x = draw(probe)
        calm = expect_answer(expect, block, x)
        expect_no_dropout(
            expect, run, block, x, answer=calm, what="output in train mode", atol=1e-6
        )

    @BOTH
    @pytest.mark.parametrize("branch", LAST)
    def test_each_branch_drops(self, probe, expect, name, branch):
        """In train mode dropout is at work inside the attention as well as inside the MLP."""
        pair = probe.pair(name, D, H, dropout=0.5)
        switches(pair)(branch)
        block, x = pair.student, draw(probe, batch=16)
        calm = expect_answer(expect, block.eval(), x)
        wild = run(expect, block.train(), x)
        expect.true(
            bool(moved(wild, calm).any()),
            observed=f"train mode and eval mode give the same where only the {branch} is at work",
            expected="dropout in train mode in both branches",
        )
        if name == "EncoderBlock" or without_affine_norms(pair, expect, x):
            wild = run(expect, block.train(), x[:1].repeat(DRAWS, 1, 1))
            expect_drops_inside(expect, wild[:, -1], branch)


class TestState:
    @BOTH
    def test_number_of_parameters(self, student, expect, name):
        """A block has as many parameters as two norms, the attention and the MLP."""
        parameters = getattr(student, name)(D, H).parameters()
        count = sum(parameter.numel() for parameter in parameters)
        expect.true(count == BLOCK, observed=f"{count} numbers", expected=f"{BLOCK} numbers")

    @BOTH
    def test_state_dict_is_the_whole_state(self, probe, expect, name):
        """A second block that loads the first one's state_dict gives the same output."""
        first, second = probe.module(name, D, H), probe.module(name, D, H)
        x = draw(probe)
        state, wanted = first.state(), run(expect, first, x)
        expect.true(
            bool(moved(run(expect, second, x), wanted).all()),
            observed="the output does not depend on the weights",
            expected="different outputs for different weights",
        )
        second.load(state)
        expect_same_state(expect, run, second, x, answer=wanted, what="output", atol=1e-6)

    @BOTH
    def test_tokens_are_not_modified(self, probe, expect, name):
        """The tokens are the same after the call as before it."""
        output = expect.unchanged(probe.module(name, D, H), draw(probe))
        expect.shape(output, (B, T, D), what="output")

    def test_other_lengths_leave_no_trace(self, probe, expect):
        """After a shorter and a longer sequence, a sequence still gives the output it gave."""
        block = probe.module("EncoderBlock", D, H)
        x = draw(probe)
        before = expect_answer(expect, block, x)
        run(expect, block.apart, -2 * x[:1, :3])
        run(expect, block.apart, torch.cat([-2 * x, -2 * x], dim=1))
        expect.close(run(expect, block.apart, x), before, what="output", atol=1e-6)

    @BOTH
    def test_two_modules_share_nothing(self, probe, expect, name):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: probe.module(name, D, H), draw(probe))


class TestNumerics:
    @BOTH
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, name, dtype):
        """After `.to(dtype)` the output is finite and has that dtype."""
        block = probe.module(name, D, H, dtype=dtype)
        x = draw(probe, dtype=dtype)
        output = run(expect, block, x)
        expect.dtype(output, dtype, what="output")
        again, other = run(expect, block.apart, x), run(expect, block, -x)
        expect.close(again, output, what="output once more", atol=1e-2)
        expect.true(
            bool(((other - output).abs().amax(-1) > 1e-2).all() and moved(output, x).all()),
            observed="the output does not depend on the tokens, or is nothing else",
            expected="other outputs for other tokens",
        )


class TestGradients:
    @BOTH
    def test_gradient_predicts_the_change(self, probe, expect, name):
        """The gradient tells how the output changes when the tokens move a little."""
        block = probe.module(name, D, H)
        x, direction, probed = draw(probe), draw(probe), draw(probe)
        expect_answer(expect, block, x)

        def level(step, track=False):
            tokens = (x + step * direction).requires_grad_(track)
            return (run(expect, block, tokens) * probed).sum(), tokens

        total, tokens = level(0.0, track=True)
        expect_path_back(expect, total, expected="a gradient for the tokens")
        (gradient,) = torch.autograd.grad(total, tokens, materialize_grads=True)
        expect_finite_gradient(expect, gradient, total, what="gradient")
        slope = ((level(1e-4)[0] - level(-1e-4)[0]) / 2e-4).detach()
        expect.close((gradient * direction).sum(), slope, what="slope of the output", atol=1e-2)

    @BOTH
    def test_every_parameter_learns(self, probe, expect, name):
        """Every parameter gets a gradient that is finite and not zero."""
        # By role: alone, a bias of the keys never gets one, since no softmax depends on it.
        pair = probe.pair(name, D, H)
        parameters = dict(pair.student.named_parameters())
        output = run(expect, pair.student, draw(probe))
        expect_path_back(expect, output, expected="a gradient for every parameter")
        total = (output * draw(probe)).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), materialize_grads=True)
        by_role = pair.by_role(dict(zip(parameters, gradients, strict=True)))
        for role, gradient in by_role.items():
            expect_gradient(
                expect, gradient, total, name=role, expected="a gradient for every parameter"
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tokens and weights drawn for this submission, all gradients are right."""
        pair = probe.pair("EncoderBlock", D, H, expansion=2)
        expect.gradients(pair.student, pair.reference, draw(probe))
