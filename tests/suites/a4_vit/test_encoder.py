"""a4.encoder, hidden criteria: blocks, masking, pooling, modes, state, numerics, gradients.

Where it can be, a student's module is compared with itself. A block is switched off by zeros in the
last layers of its branches: then it does nothing, and only the others are left.
"""

import pytest
import torch

from .. import proofs, reasons
from ..expectations import (
    expect_finite_gradient,
    expect_gradient,
    expect_no_dropout,
    expect_path_back,
    expect_same_again,
    expect_same_state,
)

B, T, D, H, CLASSES = 2, 5, 12, 3, 7
BLOCK = 2 * 2 * D + 4 * (D * D + D) + 2 * 4 * D * D + 5 * D
"""Two norms, the four maps of the attention, the MLP."""
LAST = (
    "attention.projection.weight",
    "attention.projection.bias",
    "mlp.fc2.weight",
    "mlp.fc2.bias",
)
NORM_IS_THERE = (
    "encoder.norm_made_and_skipped",
    "With final_norm=False the norm is skipped, and its parameters are there all the same.",
)


def draw(probe, batch=B, dtype=torch.float64):
    return probe.randn(batch, T, D, dtype=dtype)


def run(expect, encoder, x, *mask):
    """Call the student's encoder; the output has the right shape and no NaN, or the check ends."""
    output = encoder(x, *mask)
    expect.floats(output, x.shape, what="output")
    expect.finite(output, what="output")
    return output


def why_under_a_triangle(expect, encoder, x, mask):
    """Return the reason for which tokens see others than a triangle lets them, or None."""
    masked, plain = run(expect, encoder, x, mask), run(expect, encoder, x)
    if bool(((masked - plain).abs() < 1e-6).all()):
        return reasons.WITHOUT_EFFECT
    return proofs.look_ahead(lambda tokens: run(expect, encoder, tokens, mask), x)


def score(expect, head, x):
    """Call the student's head; the logits have the right shape and no NaN, or the check ends."""
    logits = head(x)
    expect.floats(logits, (len(x), CLASSES), what="logits")
    expect.finite(logits, what="logits")
    return logits


def moved(one, other):
    """Return for each row whether the two differ."""
    return (one - other).detach().abs().amax(-1) > 1e-6


def expect_answer(expect, encoder, x):
    """Return the output. Other tokens give others, and the same again in a process that has not
    seen them, and it is not just the tokens; or the check ends: what does not come from the tokens
    proves nothing."""
    output, other = run(expect, encoder, x), run(expect, encoder, -x)
    expect_same_again(expect, run, encoder, -x, answer=other, what="output once more")
    seen = moved(other, output).all() and moved(output, x).all()
    expect.true(
        bool(seen and moved(output[:, 1:], output[:, :1]).all()),
        observed="the output does not depend on the tokens, or is nothing else",
        expected="other outputs for other tokens",
    )
    return output


def expect_logits(expect, head, x):
    """Return the logits. Other tokens give others, and the same again in a process that has not
    seen them, or the check ends."""
    logits, other = score(expect, head, x), score(expect, head, -x)
    expect_same_again(expect, score, head, -x, answer=other, what="logits once more")
    expect.true(
        bool(moved(other, logits).all()),
        observed="the logits do not depend on the tokens",
        expected="other logits for other tokens",
    )
    return logits


def switches(pair, depth):
    """Return a function that leaves the blocks of these numbers on and switches the others off."""
    own = dict(pair.reference.module.named_parameters())
    drawn = {
        (number, f"blocks.{number}.{name}"): own[f"blocks.{number}.{name}"].detach().clone()
        for number in range(depth)
        for name in LAST
    }

    def leave(*numbers):
        pair.write(
            {
                name: value if number in numbers else torch.zeros_like(value)
                for (number, name), value in drawn.items()
            }
        )
        return pair.student

    return leave


class TestBlocks:
    def test_one_block_after_the_other(self, probe, expect):
        """The encoder does what its blocks do one after the other, from the first to the last."""
        pair = probe.pair("Encoder", 3, D, H, final_norm=False)
        x = draw(probe)
        whole = expect_answer(expect, pair.student, x)
        leave, after = switches(pair, 3), x
        for number in range(3):
            before, after = after, run(expect, leave(number).apart, after)
            expect.true(
                bool(moved(after, before).all()),
                observed=f"block {number} does nothing",
                expected="every block changes every token",
            )
        expect.close(after, whole, what="output of one block after the other", atol=1e-5)

    @pytest.mark.parametrize("final_norm", [True, False], ids=["norm", "no-norm"])
    def test_final_norm(self, probe, expect, final_norm):
        """If no block does anything, every token has gone through the last norm, or through
        nothing."""
        pair = probe.pair("Encoder", 2, D, H, final_norm=final_norm)
        x = draw(probe)
        expect_answer(expect, pair.student, x)
        switches(pair, 2)()
        expect.matches(pair.student, pair.reference, x)


class TestMasking:
    def test_every_block_gets_the_mask(self, probe, expect):
        """Under a triangle no token is seen by an earlier one, however many blocks there are, and
        it is seen by every later one."""
        encoder = probe.module("Encoder", 2, D, H)
        x, mask = draw(probe), torch.ones(T, T, dtype=torch.bool).tril()
        before = run(expect, encoder, x, mask)
        for place in range(T):
            changed = x.clone()
            changed[:, place] += probe.randn(B, D)
            seen = moved(run(expect, encoder.apart, changed, mask), before)
            expect.true(
                bool((seen == (torch.arange(T) >= place)).all()),
                observed=f"token {place} is seen at the wrong places",
                expected=f"token {place} changes the output from place {place} on, and no other",
                why=lambda: why_under_a_triangle(expect, encoder, x, mask),
            )


class TestPooling:
    def test_class_token_alone(self, probe, expect):
        """With pool="cls" the logits depend on token 0 and on no other."""
        head = probe.module("ClassificationHead", D, CLASSES, pool="cls")
        x = draw(probe)
        before = expect_logits(expect, head, x)
        for place in range(T):
            changed = x.clone()
            changed[:, place] += probe.randn(B, D)
            seen = moved(score(expect, head.apart, changed), before)
            expect.true(
                bool((seen == (place == 0)).all()),
                observed=f"token {place} counts" if place else f"token {place} does not count",
                expected="logits of the class token, which is token 0",
            )

    def test_every_patch_counts_alike(self, probe, expect):
        """With pool="mean" every patch moves the logits, and their order does not."""
        head = probe.module("ClassificationHead", D, CLASSES, pool="mean")
        x = draw(probe)
        before = expect_logits(expect, head, x)
        for place in range(1, T):
            changed = x.clone()
            changed[:, place] += probe.randn(B, D)
            expect.true(
                bool(moved(score(expect, head.apart, changed), before).all()),
                observed=f"token {place} does not count",
                expected="an average of all patches",
            )
        turned = torch.cat([x[:, :1], x[:, 1:].flip(1)], dim=1)
        after = score(expect, head.apart, turned)
        expect.close(after, before, what="logits of the patches in another order", atol=1e-5)

    def test_raw_logits(self, probe, expect):
        """The logits of a sum are the sum of the logits, but for one bias: nothing bends them."""
        head = probe.module("ClassificationHead", D, CLASSES, pool="cls")
        x, other = draw(probe), draw(probe)
        both = expect_logits(expect, head, x) + expect_logits(expect, head, other)
        head = head.apart
        observed = score(expect, head, x + other) + score(expect, head, torch.zeros_like(x))
        expect.close(observed, both, what="logits of a sum", atol=1e-5)


class TestModes:
    def test_eval_repeats_itself(self, probe, expect):
        """In eval mode two calls agree, and train mode gives something else."""
        encoder = probe.module("Encoder", 2, D, H, dropout=0.5)
        x = draw(probe, batch=16)
        calm = expect_answer(expect, encoder, x)
        wild = run(expect, encoder.train(), x)
        expect.true(
            bool(moved(wild, calm).any()),
            observed="train mode and eval mode give the same output",
            expected="dropout in train mode",
            why=lambda: reasons.NOTHING_DROPPED,
        )
        again = run(expect, encoder.eval().apart, x)
        expect.close(again, calm, what="output in eval mode", atol=1e-6)

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        encoder = probe.module("Encoder", 2, D, H)
        x = draw(probe)
        calm = expect_answer(expect, encoder, x)
        expect_no_dropout(
            expect, run, encoder, x, answer=calm, what="output in train mode", atol=1e-6
        )


class TestState:
    @pytest.mark.parametrize("final_norm", [True, False], ids=["norm", "no-norm"])
    def test_number_of_parameters(self, student, expect, final_norm):
        """There are `depth` blocks with weights of their own, and the norm that was asked for."""
        parameters = student.Encoder(3, D, H, final_norm=final_norm).parameters()
        count = sum(parameter.numel() for parameter in parameters)
        expected = 3 * BLOCK + 2 * D * final_norm
        expect.true(
            count == expected,
            observed=f"{count} numbers",
            expected=f"{expected} numbers",
            why=lambda: None if final_norm or count != expected + 2 * D else NORM_IS_THERE,
        )

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second encoder that loads the first one's state_dict gives the same output."""
        first, second = probe.module("Encoder", 2, D, H), probe.module("Encoder", 2, D, H)
        x = draw(probe)
        state, wanted = first.state(), run(expect, first, x)
        expect.true(
            bool(moved(run(expect, second, x), wanted).all()),
            observed="the output does not depend on the weights",
            expected="different outputs for different weights",
        )
        second.load(state)
        expect_same_state(expect, run, second, x, answer=wanted, what="output", atol=1e-6)

    def test_tokens_are_not_modified(self, probe, expect):
        """The tokens are the same after a call as before it, of the encoder and of the head."""
        output = expect.unchanged(probe.module("Encoder", 2, D, H), draw(probe))
        expect.shape(output, (B, T, D), what="output")
        for pool in ("cls", "mean"):
            head = probe.module("ClassificationHead", D, CLASSES, pool=pool)
            expect.shape(expect.unchanged(head, draw(probe)), (B, CLASSES), what="logits")

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: probe.module("Encoder", 2, D, H), draw(probe))
        expect.separate(lambda: probe.module("ClassificationHead", D, CLASSES), draw(probe))


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` output and logits are finite and have that dtype."""
        x = draw(probe, dtype=dtype)
        encoder = probe.module("Encoder", 2, D, H, dtype=dtype)
        output, other = run(expect, encoder, x), run(expect, encoder, -x)
        expect.dtype(output, dtype, what="output")
        expect.true(
            bool(((other - output).abs().amax(-1) > 1e-2).all() and moved(output, x).all()),
            observed="the output does not depend on the tokens, or is nothing else",
            expected="other outputs for other tokens",
        )
        for pool in ("cls", "mean"):
            head = probe.module("ClassificationHead", D, CLASSES, pool=pool, dtype=dtype)
            expect.dtype(expect_logits(expect, head, x), dtype, what="logits")


class TestGradients:
    def test_gradient_predicts_the_change(self, probe, expect):
        """The gradient tells how the output changes when the tokens move a little."""
        encoder = probe.module("Encoder", 2, D, H)
        x, direction, probed = draw(probe), draw(probe), draw(probe)
        expect_answer(expect, encoder, x)

        def level(step, track=False):
            tokens = (x + step * direction).requires_grad_(track)
            return (run(expect, encoder, tokens) * probed).sum(), tokens

        total, tokens = level(0.0, track=True)
        expect_path_back(expect, total, expected="a gradient for the tokens")
        (gradient,) = torch.autograd.grad(total, tokens, materialize_grads=True)
        expect_finite_gradient(expect, gradient, total, what="gradient")
        slope = ((level(1e-4)[0] - level(-1e-4)[0]) / 2e-4).detach()
        expect.close((gradient * direction).sum(), slope, what="slope of the output", atol=1e-2)

    def test_every_parameter_learns(self, probe, expect):
        """Every parameter of every block, and the last norm, gets a gradient that is not zero."""
        # By role: alone, a bias of the keys never gets one, since no softmax depends on it.
        pair = probe.pair("Encoder", 2, D, H)
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
        x = draw(probe)
        for name, arguments in (
            ("Encoder", (2, D, H, 2)),
            ("ClassificationHead", (D, CLASSES)),
        ):
            pair = probe.pair(name, *arguments)
            expect.gradients(pair.student, pair.reference, x)
