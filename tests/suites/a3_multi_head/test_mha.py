"""a3.mha, hidden criteria: masking, modes, state, numerics, gradients.

Except for the fresh check, a student's module is compared with itself, so that a wrong scale or a
wrong value costs `outputs` and nothing here.
"""

import pytest
import torch

from .. import proofs, reasons
from ..causal_suite import CausalSuite
from ..dropped import expect_each_row_drops_its_own

B, T, D_IN, D_OUT, H = 2, 5, 7, 12, 3


def build(probe, *, tokens=T, dropout=0.0, train=False):
    """Return the student's module in float32, all its weights drawn by us."""
    return probe.module(
        "MultiHeadAttention", D_IN, D_OUT, tokens, dropout, H, dtype=torch.float32, train=train
    )


CHECKS = CausalSuite(build, B, T, D_IN, D_OUT)
tokens_like, run = CHECKS.tokens_like, CHECKS.run
expect_look_back, expect_answer = CHECKS.expect_look_back, CHECKS.expect_answer
expect_some_mask = CHECKS.expect_some_mask


class TestMasking:
    def test_future_tokens_stay_hidden(self, probe, expect):
        """No output position depends on a later token."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, T)
        x = tokens_like(probe)
        before = run(expect, attention, x)
        for position in range(T - 1):
            changed = x.clone()
            changed[:, position + 1 :] = tokens_like(probe, count=T - 1 - position, scale=3.0)
            expect.close(
                run(expect, attention.apart, changed)[:, : position + 1],
                before[:, : position + 1],
                what=f"output up to position {position} after changing all later tokens",
                atol=1e-5,
                why=lambda: CHECKS.look_ahead(probe, expect, attention),
            )

    def test_future_stays_hidden_from_low_scores(self, probe, expect):
        """No output depends on a later token even where a token's own scores are very low."""
        CHECKS.future_stays_hidden_from_low_scores(probe, expect)

    def test_past_tokens_are_seen(self, probe, expect):
        """Every token sees itself and all tokens before it."""
        CHECKS.past_tokens_are_seen(probe, expect)

    def test_remaining_weights_add_up(self, probe, expect):
        """The weights of early tokens add up to as much as those of late tokens."""
        CHECKS.remaining_weights_add_up(probe, expect, atol=1e-4)

    def test_samples_stay_apart(self, probe, expect):
        """No sample of a batch depends on another one."""
        attention = build(probe)
        expect_some_mask(probe, expect, attention)
        expect_look_back(probe, expect, attention, T)
        x = tokens_like(probe, batch=3)
        together = run(expect, attention, x)
        for sample in range(3):
            alone = run(expect, attention.apart, x[sample : sample + 1])
            expect.close(
                alone, together[sample : sample + 1], what=f"output of sample {sample}", atol=1e-4
            )


class TestModes:
    def test_eval_repeats_itself(self, probe, expect):
        """After train() and eval() again, two calls give the same output."""
        CHECKS.eval_repeats_itself(probe, expect, batch=16)

    def test_train_does_not_repeat_itself(self, probe, expect):
        """With dropout, two calls in train mode differ."""
        CHECKS.train_does_not_repeat_itself(probe, expect, batch=16)

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        CHECKS.no_dropout(probe, expect, atol=1e-5)

    def test_dropout_is_on_the_weights(self, probe, expect):
        """Where all tokens are alike, dropout changes how much of each head's value is gathered,
        and nothing else."""
        attention = build(probe, dropout=0.2)
        x = tokens_like(probe, batch=1, count=1).expand(256, T, D_IN).contiguous()
        expect_look_back(probe, expect, attention, T)
        at_rest = run(expect, attention, x).detach()[0]  # T D
        calm = at_rest[-1]
        attention.train()
        each = run(expect, attention, x).detach()
        wild = each[:, -1]
        # Each head contributes its own vector times the sum of its surviving weights.
        seen = torch.linalg.matrix_rank((wild - calm).double(), rtol=1e-4).item()
        expect.true(
            seen == H,
            observed=f"dropout moves the output in {seen} independent directions",
            expected=f"{H} directions: one for each head, whose weights are dropped",
            why=lambda: proofs.dropped_elsewhere(seen, H, at_rest),
        )
        # 256 samples, three heads of 5 weights: the mean is good to a few hundredths.
        shift = (wild.mean(0) - calm).norm() / (wild - calm).norm(dim=1).mean()
        expect.true(
            shift.item() < 0.25,
            observed="on average, outputs in train mode differ from those in eval mode",
            expected="survivors that grow by 1 / (1 - dropout)",
            why=lambda: reasons.MEAN_MOVES,
        )
        expect_each_row_drops_its_own(expect, each)


class TestState:
    @pytest.mark.parametrize("qkv_bias", [False, True], ids=["without-bias", "with-bias"])
    def test_number_of_parameters(self, student, expect, qkv_bias):
        """Three linear maps, with biases only when asked for, and the output projection."""
        attention = student.MultiHeadAttention(D_IN, D_OUT, T, 0.0, H, qkv_bias=qkv_bias)
        count = sum(p.numel() for p in attention.parameters() if p.requires_grad)
        expected = 3 * D_IN * D_OUT + (3 * D_OUT if qkv_bias else 0) + D_OUT * D_OUT + D_OUT
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second module that loads the first one's state_dict computes the same."""
        CHECKS.state_dict_is_the_whole_state(probe, expect)

    @pytest.mark.parametrize("context_length", [T, 2 * T])
    def test_mask_moves_with_the_module(self, student, expect, context_length):
        """Whatever a new module keeps, such as its mask, moves with it to another device."""
        CHECKS.mask_moves_with_the_module(
            student.MultiHeadAttention(D_IN, D_OUT, context_length, 0.0, H), expect
        )

    def test_input_is_not_modified(self, probe, expect):
        """The input is the same after the call as before it."""
        output = expect.unchanged(build(probe), tokens_like(probe))
        expect.shape(output, (B, T, D_OUT), what="output")

    def test_short_call_leaves_no_trace(self, probe, expect):
        """After a short sequence, a long one still gives the output it gave before."""
        CHECKS.short_call_leaves_no_trace(probe, expect)

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: build(probe), tokens_like(probe))

    def test_another_size_leaves_no_trace(self, student, probe, expect):
        """After a module of another size, one of the usual size computes what it should."""
        CHECKS.another_size_leaves_no_trace(
            probe, expect, student.MultiHeadAttention(D_IN, 2 * D_OUT, 2, 0.0, H)
        )


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output is finite and has that dtype."""
        CHECKS.dtype_is_kept(probe, expect, dtype)

    def test_huge_scores(self, probe, expect):
        """Scores in the thousands give finite outputs."""
        expect_answer(expect, build(probe), tokens_like(probe, scale=100.0))


class TestGradients:
    def test_gradient_predicts_the_change(self, probe, expect):
        """The gradient tells how the output changes when the tokens move a little."""
        CHECKS.gradient_predicts_the_change(probe, expect)

    def test_every_parameter_learns(self, probe, expect):
        """Every parameter gets a gradient that is finite and not zero."""
        CHECKS.every_parameter_learns(probe, expect)

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        pair = probe.pair("MultiHeadAttention", D_IN, D_OUT, T, 0.0, H, qkv_bias=True)
        expect.gradients(pair.student, pair.reference, probe.randn(B, T, D_IN))
