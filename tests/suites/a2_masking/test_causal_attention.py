"""a2.causal_attention, hidden criteria: masking, modes, state, numerics, gradients.

Except for the fresh check, a student's module is compared with itself, so that a wrong scale or a
wrong value costs `outputs` and nothing here. Sequences are as long as context_length except where
the point is that they are not.
"""

import pytest
import torch

from .. import proofs
from ..causal_suite import CausalSuite
from ..dropped import expect_each_row_drops_its_own

B, T, D_IN, D_OUT, LONGEST = 2, 5, 3, 6, 8


def build(probe, *, tokens=T, dropout=0.0, train=False):
    """Return the student's module in float32, its weights drawn and written by us."""
    return probe.pair(
        "CausalAttention", D_IN, D_OUT, tokens, dropout, dtype=torch.float32, train=train
    ).student


CHECKS = CausalSuite(build, B, T, D_IN, D_OUT)
tokens_like, run = CHECKS.tokens_like, CHECKS.run
expect_look_back, expect_answer = CHECKS.expect_look_back, CHECKS.expect_answer
expect_some_mask = CHECKS.expect_some_mask


class TestMasking:
    @pytest.mark.parametrize("shift", [1, 2, T - 1], ids=["next", "after-next", "last"])
    def test_future_tokens_stay_hidden(self, probe, expect, shift):
        """No output position depends on a later token."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, T)
        x = tokens_like(probe)
        before = run(expect, attention, x)
        for position in range(T - shift):
            changed = x.clone()
            changed[:, position + shift] = tokens_like(probe, count=1, scale=3.0)[:, 0]
            expect.close(
                run(expect, attention.apart, changed)[:, position],
                before[:, position],
                what=f"output {position} after changing token {position + shift}",
                atol=1e-6,
                why=lambda: CHECKS.look_ahead(probe, expect, attention),
            )

    def test_future_stays_hidden_from_low_scores(self, probe, expect):
        """No output depends on a later token even where a token's own scores are very low."""
        CHECKS.future_stays_hidden_from_low_scores(probe, expect)

    def test_past_tokens_are_seen(self, probe, expect):
        """Every token sees itself and all tokens before it."""
        CHECKS.past_tokens_are_seen(probe, expect)

    def test_beginning_of_a_sequence(self, probe, expect):
        """The beginning of a sequence alone gives what it gives inside the whole sequence."""
        attention = build(probe, tokens=LONGEST)
        expect_look_back(probe, expect, attention, LONGEST)
        x = tokens_like(probe, count=LONGEST)
        whole = run(expect, attention, x)
        for count in (1, 3, LONGEST - 1):
            part = run(expect, attention.apart, x[:, :count])
            expect.close(part, whole[:, :count], what=f"output of {count} tokens", atol=1e-5)

    def test_remaining_weights_add_up(self, probe, expect):
        """The weights of early tokens add up to as much as those of late tokens."""
        CHECKS.remaining_weights_add_up(probe, expect, atol=1e-5)


class TestModes:
    def test_eval_repeats_itself(self, probe, expect):
        """After train() and eval() again, two calls give the same output."""
        CHECKS.eval_repeats_itself(probe, expect, batch=64)

    def test_train_does_not_repeat_itself(self, probe, expect):
        """With dropout, two calls in train mode differ."""
        CHECKS.train_does_not_repeat_itself(probe, expect, batch=64)

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        CHECKS.no_dropout(probe, expect, atol=1e-6)

    def test_dropout_is_on_the_weights(self, probe, expect):
        """Where all values are alike, dropout changes the size of an output, not its direction."""
        attention = build(probe, dropout=0.2)
        calm, sizes, each = self.with_equal_tokens(probe, expect, attention)
        wild = each[:, -1]
        expect.close(
            wild,
            sizes[:, None] * calm[-1],
            what="output in train mode",
            atol=1e-5,
            why=lambda: proofs.beside_the_weights([wild], calm),
        )
        expect.true(
            sizes.std().item() > 0.05,
            observed="dropout does not change how much a token gathers",
            expected="some of its weights dropped in each sample",
            why=lambda: self.rows_add_up(probe, expect, attention),
        )
        expect_each_row_drops_its_own(expect, each)

    def test_survivors_are_scaled(self, probe, expect):
        """The share `dropout` of the weights is dropped, the others grow by 1 / (1 - dropout)."""
        attention = build(probe, dropout=0.2)
        _, sizes, _ = self.with_equal_tokens(probe, expect, attention)
        # 1024 samples of 5 weights: the mean is good to 0.007, the variance to 5 %.
        expect.close(
            sizes.mean(),
            torch.tensor(1.0),
            what="mean of the sum of weights",
            atol=0.06,
            why=lambda: proofs.survivors_not_scaled(sizes.mean(), 0.2, room=0.02),
        )
        expected = 0.2 / 0.8 / T
        expect.close(
            sizes.var() / expected, torch.tensor(1.0), what="spread against expected", atol=0.4
        )

    @staticmethod
    def rows_add_up(probe, expect, attention):
        x = tokens_like(probe)
        return proofs.rows_add_up(*(run(expect, attention, x) for _ in range(2)))

    @staticmethod
    def with_equal_tokens(probe, expect, attention):
        """Return a sample's outputs in eval mode, the last token's multiples in train mode, and
        all outputs in train mode.

        With equal tokens a causal row of weights is uniform, and the output is one vector times
        the sum of the weights that survive.
        """
        expect_look_back(probe, expect, attention, T)
        x = tokens_like(probe, batch=1, count=1).expand(1024, T, D_IN).contiguous()
        outputs = run(expect, attention, x).detach()
        last, vector = outputs[:, -1], outputs[0, -1]
        expect.close(last, vector.expand_as(last), what="output in eval mode", atol=1e-5)
        attention.train()
        wild = run(expect, attention, x).detach()
        return outputs[0], (wild[:, -1] @ vector) / (vector @ vector), wild


class TestState:
    def test_mask_is_a_buffer(self, student, expect):
        """The module has a buffer called `mask`."""
        names = sorted(
            name for name, _ in student.CausalAttention(D_IN, D_OUT, T, 0.0).named_buffers()
        )
        expect.true("mask" in names, observed=f"buffers: {names}", expected="a buffer `mask`")

    @pytest.mark.parametrize("qkv_bias", [False, True], ids=["without-bias", "with-bias"])
    def test_number_of_parameters(self, student, expect, qkv_bias):
        """Three linear maps are all there is to train, with biases only when asked for."""
        attention = student.CausalAttention(D_IN, D_OUT, T, 0.0, qkv_bias=qkv_bias)
        count = sum(p.numel() for p in attention.parameters() if p.requires_grad)
        expected = 3 * D_IN * D_OUT + (3 * D_OUT if qkv_bias else 0)
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second module that loads the first one's state_dict computes the same."""
        CHECKS.state_dict_is_the_whole_state(probe, expect)

    def test_input_is_not_modified(self, probe, expect):
        """The input is the same after the call as before it."""
        expect.unchanged(build(probe), tokens_like(probe))

    def test_short_call_leaves_no_trace(self, probe, expect):
        """After a short sequence, a long one still gives the output it gave before."""
        CHECKS.short_call_leaves_no_trace(probe, expect)

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: build(probe), tokens_like(probe))

    def test_another_size_leaves_no_trace(self, student, probe, expect):
        """After a module of another size, one of the usual size computes what it should."""
        CHECKS.another_size_leaves_no_trace(
            probe, expect, student.CausalAttention(D_IN, 2 * D_OUT, 2, 0.0)
        )


class TestNumerics:
    @pytest.mark.parametrize(
        "dtype",
        [torch.float64, torch.float16, torch.bfloat16],
        ids=["float64", "float16", "bfloat16"],
    )
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output is finite and has that dtype."""
        CHECKS.dtype_is_kept(probe, expect, dtype)

    def test_huge_scores(self, probe, expect):
        """Scores in the thousands give finite outputs."""
        expect_answer(expect, build(probe), tokens_like(probe, scale=100.0))

    def test_meta_device(self, student, expect):
        """On the meta device the output is on the meta device too: nothing is made elsewhere."""
        attention = student.CausalAttention(D_IN, D_OUT, LONGEST, 0.0).to("meta")
        output = attention(torch.empty(B, LONGEST, D_IN, device="meta"))
        expect.shape(output, (B, LONGEST, D_OUT), what="output")
        expect.true(
            output.device.type == "meta", observed=str(output.device), expected="device meta"
        )


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
        pair = probe.pair("CausalAttention", D_IN, D_OUT, T, 0.0)
        expect.gradients(pair.student, pair.reference, probe.randn(B, T, D_IN))
