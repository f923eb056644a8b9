"""a3.gqa, hidden criteria: groups, masking, state, numerics, gradients.

Wherever it can be, a student's module is compared with itself, so that a wrong scale or a wrong
value costs `outputs` and nothing here.
"""

import pytest
import torch

from .. import proofs
from ..expectations import (
    expect_gradient,
    expect_nothing_gathered,
    expect_one_mask_for_all,
    expect_path_back,
    expect_same_state,
)
from ..masked_attention import (
    expect_allowed_tokens_matter,
    expect_answer,
    expect_hidden_tokens_do_not_matter,
    run,
)

B, T, D, H, G = 3, 5, 24, 6, 2
DH = D // H

MASKS = {
    "for-all": (T, T),
    "one-a-sample": (H, T, T),  # as many samples as heads: broadcasting takes one for the other
    "padding": (H, 1, 1, T),
    "one-a-head": (1, H, 1, T),
}


def build(probe):
    """Return the student's module in float32, all its weights drawn by us."""
    return probe.module("GroupedQueryAttention", D, H, G, dtype=torch.float32)


def tokens_like(probe, batch=B, count=T, scale=1.0):
    return probe.randn(batch, count, D, dtype=torch.float32, scale=scale)


class TestGroups:
    @pytest.mark.parametrize("role", ["W_key", "W_value"])
    @pytest.mark.parametrize("groups", [1, 2, 3], ids=["one", "two", "three"])
    def test_neighbours_share(self, probe, expect, groups, role):
        """Each key head, and each value head, is read by the query heads of its own group, which
        are neighbours, and by all of them."""
        pair = probe.pair("GroupedQueryAttention", D, H, groups)
        x = probe.randn(B, T, D, scale=0.5)
        with torch.no_grad():
            pair.settle((x,), {})
            # Without a last map every head's finding stands in the output by itself.
            pair.write({"out_proj.weight": torch.eye(D), "out_proj.bias": torch.zeros(D)})
            before = expect_answer(expect, pair.student, x)
            weight = getattr(pair.reference, role).weight.detach().clone()
            for group in range(groups):
                changed = weight.clone()
                changed[group * DH : (group + 1) * DH] += probe.randn(DH, D, scale=0.3)
                pair.write({f"{role}.weight": changed})
                moved = (run(expect, pair.student.apart, x) - before).unflatten(-1, (H, DH))
                heads = (moved.abs().amax(dim=(0, 1, 3)) > 1e-6).nonzero().flatten().tolist()
                share = H // groups
                wanted = list(range(group * share, (group + 1) * share))
                expect.true(
                    heads == wanted,
                    observed=f"head {group} of {role} is read by the query heads {heads}",
                    expected=f"it is read by the query heads {wanted}",
                )


class TestMasking:
    @pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS.keys())
    def test_hidden_tokens_do_not_matter(self, probe, expect, shape):
        """No output depends on a token that the mask hides from it."""
        attention, x = build(probe), tokens_like(probe, batch=H)
        expect_hidden_tokens_do_not_matter(probe, expect, attention, x, shape, keep=0.1)

    @pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS.keys())
    def test_allowed_tokens_matter(self, probe, expect, shape):
        """Every output depends on all tokens that the mask shows it."""
        attention, x = build(probe), tokens_like(probe, batch=H, scale=0.3)
        expect_allowed_tokens_matter(probe, expect, attention, x, shape, keep=0.1)

    def test_samples_stay_apart(self, probe, expect):
        """No sample of a batch depends on another one."""
        attention, x = build(probe), tokens_like(probe, batch=3)
        together = expect_answer(expect, attention, x)
        for sample in range(3):
            alone = run(expect, attention.apart, x[sample : sample + 1])
            expect.close(
                alone, together[sample : sample + 1], what=f"output of sample {sample}", atol=1e-4
            )

    def test_hidden_tokens_never_win(self, probe, expect):
        """A token that sees only itself has the output that it has alone, however low its score."""
        attention = build(probe)
        expect_answer(expect, attention, tokens_like(probe))
        attention.to(torch.float64)
        # Among 64 samples and some heads, the first token's score of itself is often below -10,000.
        x = probe.randn(64, T, D, scale=400.0)
        alone = run(expect, attention, x[:, :1])
        triangle = torch.ones(T, T, dtype=torch.bool).tril()
        for allowed in (triangle, triangle.repeat(64, 1, 1)):  # for all samples, and for each
            self.expect_output_of_itself(expect, attention, x, allowed, alone)

    @staticmethod
    def expect_output_of_itself(expect, attention, x, allowed, alone):
        first = run(expect, attention.apart, x, allowed)[:, :1]

        def why():
            hidden = [run(expect, attention, x[:, i : i + 1]) for i in range(1, T)]
            shared = proofs.filled_with_a_number(first[:, 0], alone[:, 0], torch.cat(hidden, dim=1))
            return shared or proofs.lost_to_a_number(gap(x), gap(x / 400.0))

        def gap(tokens):
            own = tokens[:, :1]
            copies = run(expect, attention, own.expand_as(tokens).contiguous(), allowed)
            return (copies[:, :1] - run(expect, attention, own))[:, 0]

        expect.close(first, alone, what="output 0, which sees itself alone", why=why)

    def test_one_mask_for_as_many_samples_as_tokens(self, probe, expect):
        """A mask (T, T) is one for all samples, also where there are as many samples as tokens."""
        attention, x = build(probe), tokens_like(probe, batch=T)
        expect_answer(expect, attention, x)
        mask = probe.mask(T, T)
        expect_one_mask_for_all(expect, run, attention, x, mask)


class TestState:
    @pytest.mark.parametrize("groups", [1, G, H], ids=["one", "two", "as-many-as-heads"])
    def test_number_of_parameters(self, student, expect, groups):
        """Keys and values have G · Dh rows each; that is what is saved."""
        attention = student.GroupedQueryAttention(D, H, groups)
        count = sum(parameter.numel() for parameter in attention.parameters())
        expected = 2 * (D * D + D) + 2 * (groups * DH * D + groups * DH)
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

    def test_inputs_are_not_modified(self, probe, expect):
        """Tokens and mask are the same after the call as before it."""
        mask = probe.mask(B, T, T)
        mask[0, 0] = False  # a token that sees nobody: some open its row for the softmax
        output = expect.unchanged(build(probe), tokens_like(probe), mask)
        expect.shape(output, (B, T, D), what="output")

    def test_nothing_is_kept_of_earlier_calls(self, probe, expect):
        """A call gives the same after others, one of them with fewer tokens, each with its mask."""
        first = probe.mask(T, T)
        first[1] = False  # nobody is left for the second token, as for no one later
        expect.starts_anew(
            build(probe),
            expect.call(tokens_like(probe), first),
            expect.call(tokens_like(probe, count=3), probe.mask(3, 3)),
            expect.call(tokens_like(probe), probe.mask(T, T)),
        )

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: build(probe), tokens_like(probe))

    def test_another_size_leaves_no_trace(self, student, probe, expect):
        """After a module of another size, one of the usual size computes what it should."""
        student.GroupedQueryAttention(2 * D, H, H)(probe.randn(B, T, 2 * D, dtype=torch.float32))
        module = build(probe)
        output = run(expect, module, tokens_like(probe))
        expect.true(
            output.std().item() > 1e-6,
            observed="an output that is the same everywhere",
            expected="an output that depends on the tokens",
        )


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output is finite and has that dtype, with a mask as well."""
        attention, x = build(probe).to(dtype), probe.randn(B, T, D, dtype=dtype)
        expect.dtype(expect_answer(expect, attention, x), dtype, what="output")
        masked = run(expect, attention, x, probe.mask(T, T))
        expect.dtype(masked, dtype, what="output with a mask")

    def test_huge_scores(self, probe, expect):
        """Scores in the thousands give finite outputs."""
        expect_answer(expect, build(probe), tokens_like(probe, scale=100.0))

    def test_token_that_sees_nobody(self, probe, expect):
        """A token that may attend to nobody gathers zeros: its output is the last map's bias."""
        pair = probe.pair("GroupedQueryAttention", D, H, G)
        mask = probe.mask(T, T)
        mask[2] = False
        x = probe.randn(B, T, D)
        with torch.no_grad():
            expect_answer(expect, pair.student, x)
            output = run(expect, pair.student, x, mask)
        bias = pair.reference.out_proj.bias.detach()

        def beside_others():
            others = probe.randn(B, T, D)
            others[:, 2] = x[:, 2]
            return run(expect, pair.student, others, mask)[:, 2]

        expect_nothing_gathered(
            expect, output[:, 2], bias, beside_others, what="output of that token"
        )


class TestGradients:
    def test_token_that_sees_nobody(self, probe, expect):
        """Gradients stay finite where a token may attend to nobody."""
        attention, x = build(probe), tokens_like(probe)
        expect_answer(expect, attention, x)
        mask = probe.mask(T, T)
        mask[2] = False
        output = attention(x.requires_grad_(), mask)
        expect.floats(output, (B, T, D), what="output")
        expect_path_back(expect, output, expected="a gradient for the tokens")
        total = (output * probe.randn(B, T, D, dtype=torch.float32)).sum()
        (gradient,) = torch.autograd.grad(total, x, materialize_grads=True)
        expect_gradient(
            expect, gradient, total, least=1e-6, expected="outputs that depend on the tokens"
        )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        pair = probe.pair("GroupedQueryAttention", D, H, G)
        x, mask = probe.randn(B, T, D), probe.mask(B, T, T)
        expect.gradients(pair.student, pair.reference, x, mask)

    def test_gradients_without_a_mask(self, probe, expect):
        """Without a mask, all gradients are right."""
        pair = probe.pair("GroupedQueryAttention", D, H, G)
        expect.gradients(pair.student, pair.reference, probe.randn(B, T, D))
