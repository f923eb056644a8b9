"""a3.wrapper, hidden criteria: masking, modes, state, numerics, gradients.

Except for the fresh check, a student's module is compared with itself, so that a wrong scale or a
wrong value costs `outputs` and nothing here.
"""

import pytest
import torch

from .. import proofs, reasons
from ..expectations import (
    expect_first_token_counts,
    expect_gradient,
    expect_no_dropout,
    expect_path_back,
    expect_same_state,
)

B, T, D_IN, D_OUT, H = 2, 5, 7, 4, 3


def build(probe, *, dropout=0.0, train=False):
    """Return the student's module in float32, all its weights drawn by us."""
    return probe.module(
        "MultiHeadAttentionWrapper", D_IN, D_OUT, T, dropout, H, dtype=torch.float32, train=train
    )


def tokens_like(probe, batch=B, count=T, scale=1.0):
    return probe.randn(batch, count, D_IN, dtype=torch.float32, scale=scale)


def run(expect, attention, x):
    """Call the student's module; the output has the right shape and no NaN, or the check ends."""
    output = attention(x)
    expect.floats(output, (*x.shape[:-1], D_OUT * H), what="output")
    expect.finite(output, what="output")
    return output


def expect_answer(expect, attention, x):
    """Return the output for x. The last output depends on the first token, and the same x gives
    the same in a process that has not seen it, or the check ends: what does not come from the
    tokens proves nothing."""
    wanted = "every output depends on all tokens before it"
    return expect_first_token_counts(expect, run, attention, x, wanted)


def expect_some_mask(probe, expect, attention):
    """The first output hardly depends on the last token: there is a mask to be judged, be it leaky
    or too wide."""
    x = tokens_like(probe)
    first = run(expect, attention, x)[:, 0]
    x[:, -1] += 1.0
    moved = run(expect, attention.apart, x)[:, 0]
    expect.close(moved, first, what="first output after changing the last token", atol=1e-2)


def look_ahead(probe, expect, attention):
    """Name the way in which tokens see others than those before them."""
    x = tokens_like(probe, scale=0.3)  # small scores: no weight is near zero
    return proofs.look_ahead(lambda tokens: run(expect, attention, tokens), x)


class TestMasking:
    def test_future_tokens_stay_hidden(self, probe, expect):
        """No output position, in no head, depends on a later token."""
        attention, x = build(probe), tokens_like(probe)
        before = expect_answer(expect, attention, x)
        for position in range(T - 1):
            changed = x.clone()
            changed[:, position + 1 :] = tokens_like(probe, count=T - 1 - position, scale=3.0)
            expect.close(
                run(expect, attention.apart, changed)[:, : position + 1],
                before[:, : position + 1],
                what=f"output up to position {position} after changing all later tokens",
                atol=1e-5,
                why=lambda: look_ahead(probe, expect, attention),
            )

    def test_past_tokens_are_seen(self, probe, expect):
        """Every head sees, for every token, itself and all tokens before it."""
        attention, x = build(probe), tokens_like(probe, scale=0.3)
        expect_some_mask(probe, expect, attention)
        before = expect_answer(expect, attention, x)
        for position in range(T):
            changed = x.clone()
            changed[:, position] += 0.5
            moved = (run(expect, attention.apart, changed) - before).unflatten(-1, (H, D_OUT))
            expect.true(
                bool((moved.abs().amax(-1)[:, position:] > 1e-5).all()),
                observed=f"in some head an output from position {position} on ignores that token",
                expected="every output of every head depends on its own token and on all before",
                why=lambda: look_ahead(probe, expect, attention),
            )

    def test_samples_stay_apart(self, probe, expect):
        """No sample of a batch depends on another one."""
        attention, x = build(probe), tokens_like(probe, batch=3)
        expect_some_mask(probe, expect, attention)
        together = expect_answer(expect, attention, x)
        for sample in range(3):
            alone = run(expect, attention.apart, x[sample : sample + 1])
            expect.close(
                alone, together[sample : sample + 1], what=f"output of sample {sample}", atol=1e-4
            )


class TestModes:
    def test_dropout_in_train_mode_only(self, probe, expect):
        """After train() and eval() again two calls give the same output; in train mode they
        differ, in each head."""
        attention, x = build(probe, dropout=0.5, train=True), tokens_like(probe, batch=16)
        wild = run(expect, attention, x)
        attention.eval()
        calm = run(expect, attention, x)
        expect.close(run(expect, attention.apart, x), calm, what="second output in eval mode")
        moved = (wild - calm).unflatten(-1, (H, D_OUT)).abs().amax(dim=(0, 1, 3))
        expect.true(
            bool((moved > 1e-3).all()),
            observed="in some head, train mode and eval mode give the same output",
            expected="dropout in every head, in train mode only",
            why=lambda: None if (moved > 1e-3).any() else reasons.NOTHING_DROPPED,
        )

    def test_dropout_is_on_the_weights(self, probe, expect):
        """Where all values are alike, dropout changes the size of a head's output, not its
        direction."""
        attention = build(probe, dropout=0.2)
        x = tokens_like(probe, batch=1, count=1).expand(64, T, D_IN).contiguous()
        at_rest = run(expect, attention, x).detach()
        calm = at_rest[:, -1].unflatten(-1, (H, D_OUT))
        wild = run(expect, attention.train(), x)[:, -1].unflatten(-1, (H, D_OUT)).detach()
        sizes = (wild * calm).sum(-1, keepdim=True) / (calm * calm).sum(-1, keepdim=True)
        expect.close(
            wild,
            sizes * calm,
            what="output in train mode",
            atol=1e-4,
            why=lambda: proofs.beside_the_weights(wild.unbind(1), at_rest[0]),
        )
        expect.true(
            bool((sizes.std(0) > 0.05).all()),
            observed="dropout does not change how much a token gathers",
            expected="some of its weights dropped in each sample",
            why=lambda: self.rows_add_up(probe, expect, attention),
        )

    @staticmethod
    def rows_add_up(probe, expect, attention):
        x = tokens_like(probe)
        return proofs.rows_add_up(*(run(expect, attention, x) for _ in range(2)))

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        attention, x = build(probe), tokens_like(probe)
        calm = expect_answer(expect, attention, x)
        expect_no_dropout(
            expect, run, attention, x, answer=calm, what="output in train mode", atol=1e-5
        )


class TestState:
    @pytest.mark.parametrize("qkv_bias", [False, True], ids=["without-bias", "with-bias"])
    def test_number_of_parameters(self, student, expect, qkv_bias):
        """Three linear maps in each head, with biases only when asked for, and nothing else."""
        attention = student.MultiHeadAttentionWrapper(D_IN, D_OUT, T, 0.0, H, qkv_bias=qkv_bias)
        count = sum(p.numel() for p in attention.parameters() if p.requires_grad)
        expected = H * (3 * D_IN * D_OUT + (3 * D_OUT if qkv_bias else 0))
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second module that loads the first one's state_dict computes the same."""
        first, second, x = build(probe), build(probe), tokens_like(probe)
        state, wanted = first.state(), run(expect, first, x)
        expect.true(
            bool(((run(expect, second, x) - wanted).abs() > 1e-3).any()),
            observed="the output does not depend on the weights",
            expected="different outputs for different weights",
        )
        second.load(state)
        expect_same_state(
            expect, run, second, x, answer=wanted, what="output of the second module", atol=1e-6
        )

    def test_input_is_not_modified(self, probe, expect):
        """The input is the same after the call as before it."""
        output = expect.unchanged(build(probe), tokens_like(probe))
        expect.shape(output, (B, T, D_OUT * H), what="output")

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: build(probe), tokens_like(probe))


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output is finite and has that dtype."""
        attention = build(probe).to(dtype)
        output = expect_answer(expect, attention, probe.randn(B, T, D_IN, dtype=dtype))
        expect.dtype(output, dtype, what="output")


class TestGradients:
    def test_every_parameter_learns(self, probe, expect):
        """Every parameter of every head gets a gradient that is finite and not zero."""
        attention = build(probe)
        # A mask may be a parameter that is not trained; how many are is checked in `state`.
        parameters = {n: p for n, p in attention.named_parameters() if p.requires_grad}
        expect.true(parameters, observed="no parameters", expected="parameters that learn")
        output = run(expect, attention, tokens_like(probe))
        expect_path_back(expect, output, expected="a gradient for every parameter")
        gradients = torch.autograd.grad(
            (output * probe.randn(B, T, D_OUT * H)).sum(),
            list(parameters.values()),
            materialize_grads=True,
        )
        for name, gradient in zip(parameters, gradients, strict=True):
            expect_gradient(
                expect,
                gradient,
                output,
                name=name,
                least=1e-6,
                expected="a gradient for every parameter",
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        pair = probe.pair("MultiHeadAttentionWrapper", D_IN, D_OUT, T, 0.0, H, qkv_bias=True)
        expect.gradients(pair.student, pair.reference, probe.randn(B, T, D_IN))
