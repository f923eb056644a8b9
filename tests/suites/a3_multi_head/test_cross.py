"""a3.cross, hidden criteria: masking, memory, state, numerics, gradients.

Wherever it can be, a student's module is compared with itself, so that a wrong scale or a wrong
value costs `outputs` and nothing here.
"""

import pytest
import torch

from .. import proofs, reasons
from ..expectations import (
    expect_finite_gradient,
    expect_nothing_gathered,
    expect_path_back,
    expect_same_again,
    expect_same_state,
)

B, S, L, D, H, D_QUERY, D_MEMORY = 2, 5, 6, 12, 3, 7, 8


def build(probe):
    """Return the student's module in float32, all its weights drawn by us."""
    return probe.module("CrossAttention", D_QUERY, D_MEMORY, D, H, dtype=torch.float32)


def both(probe, batch=B, scale=1.0, dtype=torch.float32):
    """Return tokens that ask and tokens that answer."""
    x = probe.randn(batch, S, D_QUERY, dtype=dtype, scale=scale)
    return x, probe.randn(batch, L, D_MEMORY, dtype=dtype, scale=scale)


def run(expect, attention, x, memory, mask=None):
    """Call the student's module; the output has the right shape and no NaN, or the check ends."""
    output = attention(x, memory) if mask is None else attention(x, memory, mask)
    expect.floats(output, (len(x), x.shape[1], D), what="output")
    expect.finite(output, what="output")
    return output


def expect_answer(expect, attention, x, memory):
    """Return the output. Another memory gives another one, not all queries get the same, and the
    same tokens give the same in a process that has not seen them, or the check ends: what does not
    come from the tokens proves nothing."""
    output, other = run(expect, attention, x, memory), run(expect, attention, x, -0.5 * memory)
    expect_same_again(
        expect,
        run,
        attention,
        x,
        -0.5 * memory,
        answer=other,
        what="output of the same tokens once more",
    )
    expect.true(
        bool((other - output).abs().amax() > 1e-3),
        observed="the output does not depend on the memory",
        expected="other outputs for another memory",
    )
    expect.true(
        bool(((output[:, 0] - output[:, -1]).abs() > 1e-3).any()),
        observed="all queries get the same output",
        expected="outputs that depend on who asks",
    )
    return output


def influence(probe, expect, attention, x, memory, mask=None):
    """Return how much each output (B, S) moves when each token of the memory (L) does."""
    before = run(expect, attention, x, memory, mask)
    moved = []
    for place in range(L):
        changed = memory.clone()
        changed[:, place] += probe.randn(D_MEMORY, dtype=torch.float32)
        moved.append((run(expect, attention.apart, x, changed, mask) - before).abs().amax(-1))
    return torch.stack(moved, dim=-1)  # B S L


def reading(expect, attention, x, memory, mask, seen):
    """Name the other way of reading a mask (B, L) by which tokens see (B, S, L) what they see."""
    ignored = run(expect, attention, x, memory, mask) - run(expect, attention, x, memory)
    allowed, is_ignored = mask[:, None].expand_as(seen), bool((ignored.abs() <= 1e-5).all())
    return proofs.reading_of(seen, allowed, torch.ones_like(seen), is_ignored)


class TestMasking:
    @pytest.mark.parametrize("batch", [B, S, H], ids=["usual", "as-many-as-queries", "as-heads"])
    def test_padding_does_not_matter(self, probe, expect, batch):
        """No output depends on a token of the memory that its sample's mask hides."""
        attention, (x, memory) = build(probe), both(probe, batch)
        expect_answer(expect, attention, x, memory)
        mask = probe.mask(batch, L)
        moved = influence(probe, expect, attention, x, memory, mask)
        hidden = moved.masked_fill(mask[:, None], 0.0)
        expect.close(
            hidden,
            torch.zeros_like(hidden),
            what="change by hidden tokens",
            atol=1e-5,
            why=lambda: reading(expect, attention, x, memory, mask, moved > 1e-5),
        )

    @pytest.mark.parametrize("batch", [B, S, H], ids=["usual", "as-many-as-queries", "as-heads"])
    def test_allowed_tokens_matter(self, probe, expect, batch):
        """Every output depends on all tokens of the memory that the mask shows."""
        attention, (x, memory) = build(probe), both(probe, batch, scale=0.3)
        expect_answer(expect, attention, x, memory)
        mask = probe.mask(batch, L)
        moved = influence(probe, expect, attention, x, memory, mask)
        expect.true(
            bool((moved > 1e-4)[mask[:, None].expand_as(moved)].all()),
            observed="an output ignores a token that it may attend to",
            expected="every output depends on the tokens that it may attend to",
            why=lambda: reading(expect, attention, x, memory, mask, moved > 1e-4),
        )

    def test_padding_is_as_good_as_absent(self, probe, expect):
        """A memory that is padded at its end gives what the memory without padding gives."""
        attention, (x, memory) = build(probe), both(probe)
        expect_answer(expect, attention, x, memory)
        mask = torch.arange(L).expand(B, L) < L - 2
        masked = run(expect, attention, x, memory, mask)
        short = run(expect, attention.apart, x, memory[:, : L - 2])
        expect.close(masked, short, what="output with a mask", atol=1e-4)

    def test_padding_never_wins(self, probe, expect):
        """Padding changes nothing even where the scores of all other tokens are very low."""
        attention = build(probe)
        expect_answer(expect, attention, *both(probe))
        attention.to(torch.float64)
        # Among 64 samples, the score of the only token that is none is a few times below -10,000,
        # and never 60,000 below another: who fills with that loses nothing.
        x, memory = both(probe, 64, scale=70.0, dtype=torch.float64)
        alone = run(expect, attention, x, memory[:, :1])
        allowed = (torch.arange(L) == 0).expand(64, L)
        padded = run(expect, attention.apart, x, memory, allowed)

        def why():
            hidden = [run(expect, attention, x, memory[:, i : i + 1])[:, 0] for i in range(1, L)]
            shared = proofs.filled_with_a_number(
                padded[:, 0], alone[:, 0], torch.stack(hidden, dim=1)
            )
            calm = gap(x / 70.0, memory / 70.0)
            return shared or proofs.lost_to_a_number(gap(x, memory), calm)

        def gap(tokens, texts):
            own = texts[:, :1]
            copies = run(expect, attention, tokens, own.expand_as(texts).contiguous(), allowed)
            return (copies - run(expect, attention, tokens, own))[:, 0]

        expect.close(padded, alone, what="output with padding", why=why)


class TestMemory:
    def test_whole_memory_is_read(self, probe, expect):
        """Without a mask, every output depends on all of the memory."""
        attention, (x, memory) = build(probe), both(probe, scale=0.3)
        expect_answer(expect, attention, x, memory)
        moved = influence(probe, expect, attention, x, memory)
        expect.true(
            bool((moved > 1e-4).all()),
            observed="an output ignores a token of the memory",
            expected="every output depends on all of the memory",
        )

    def test_queries_stay_apart(self, probe, expect):
        """What one token gathers does not depend on the others that ask."""
        attention, (x, memory) = build(probe), both(probe)
        together = expect_answer(expect, attention, x, memory)
        for place in range(S):
            alone = run(expect, attention.apart, x[:, place : place + 1], memory)
            expect.close(
                alone, together[:, place : place + 1], what=f"output of query {place}", atol=1e-4
            )

    def test_samples_stay_apart(self, probe, expect):
        """No sample of a batch depends on another one."""
        attention, (x, memory) = build(probe), both(probe, 3)
        together = expect_answer(expect, attention, x, memory)
        for sample in range(3):
            part = slice(sample, sample + 1)
            alone = run(expect, attention.apart, x[part], memory[part])
            expect.close(alone, together[part], what=f"output of sample {sample}", atol=1e-4)

    def test_order_does_not_matter(self, probe, expect):
        """A memory is a set: its tokens in another order give the same outputs."""
        attention, (x, memory) = build(probe), both(probe)
        before = expect_answer(expect, attention, x, memory)
        after = run(expect, attention.apart, x, memory.roll(2, dims=1))
        expect.close(after, before, what="output of the memory in another order", atol=1e-4)


class TestState:
    def test_number_of_parameters(self, student, expect):
        """Four linear maps, each with a bias, and nothing else."""
        attention = student.CrossAttention(D_QUERY, D_MEMORY, D, H)
        count = sum(parameter.numel() for parameter in attention.parameters())
        expected = D * (D_QUERY + 2 * D_MEMORY + D) + 4 * D
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second module that loads the first one's state_dict computes the same."""
        first, second, (x, memory) = build(probe), build(probe), both(probe)
        state, wanted = first.state(), run(expect, first, x, memory)
        expect.true(
            bool(((run(expect, second, x, memory) - wanted).abs() > 1e-3).any()),
            observed="the output does not depend on the weights",
            expected="different outputs for different weights",
        )
        second.load(state)
        expect_same_state(
            expect,
            run,
            second,
            x,
            memory,
            answer=wanted,
            what="output of the second module",
            atol=1e-6,
        )

    def test_inputs_are_not_modified(self, probe, expect):
        """Tokens, memory and mask are the same after the call as before it."""
        mask = probe.mask(B, L)
        mask[0] = False  # a memory of nothing but padding: some open its mask for the softmax
        output = expect.unchanged(build(probe), *both(probe), mask)
        expect.shape(output, (B, S, D), what="output")

    def test_another_memory_leaves_no_trace(self, probe, expect):
        """After another memory and a mask, the first memory gives what it gave before."""
        attention, (x, memory) = build(probe), both(probe)
        before = expect_answer(expect, attention, x, memory)
        run(expect, attention.apart, x, both(probe)[1][:, :3], probe.mask(B, 3))
        after = run(expect, attention.apart, x, memory)
        expect.close(after, before, what="output of the later call", atol=1e-6)

    def test_nothing_is_kept_of_earlier_calls(self, probe, expect):
        """A call gives the same after others, one of them with fewer tokens, each with its mask."""
        first = probe.mask(B, L)
        first[1] = False  # nothing is left of the second memory, as of none later
        short = both(probe)[0], both(probe)[1][:, :3]
        expect.starts_anew(
            build(probe),
            expect.call(*both(probe), first),
            expect.call(*short, probe.mask(B, 3)),
            expect.call(*both(probe), probe.mask(B, L)),
        )

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: build(probe), *both(probe))


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output is finite and has that dtype, with a mask as well."""
        attention, (x, memory) = build(probe).to(dtype), both(probe, dtype=dtype)
        expect.dtype(expect_answer(expect, attention, x, memory), dtype, what="output")
        masked = run(expect, attention, x, memory, probe.mask(B, L))
        expect.dtype(masked, dtype, what="output with a mask")

    def test_huge_scores(self, probe, expect):
        """Scores in the thousands give finite outputs."""
        expect_answer(expect, build(probe), *both(probe, scale=100.0))

    def test_memory_of_nothing_but_padding(self, probe, expect):
        """Where all of the memory is padding, the output is the bias of the last map."""
        pair = probe.pair("CrossAttention", D_QUERY, D_MEMORY, D, H)
        mask = probe.mask(B, L)
        mask[1] = False
        x, memory = both(probe, dtype=torch.float64)
        with torch.no_grad():
            expect_answer(expect, pair.student, x, memory)
            output = run(expect, pair.student, x, memory, mask)
        bias = pair.reference.out_proj.bias.detach()

        def beside_another():
            _, other = both(probe, dtype=torch.float64)
            return run(expect, pair.student, x, other, mask)[1]

        expect_nothing_gathered(
            expect, output[1], bias, beside_another, what="output of that sample"
        )


class TestGradients:
    def test_memory_of_nothing_but_padding(self, probe, expect):
        """Gradients stay finite where all of the memory is padding, and reach the memory."""
        attention, (x, memory) = build(probe), both(probe)
        expect_answer(expect, attention, x, memory)
        mask = probe.mask(B, L)
        mask[1] = False
        memory.requires_grad_()
        output = attention(x, memory, mask)
        expect.floats(output, (B, S, D), what="output")
        expect_path_back(expect, output, expected="a gradient for the memory")
        total = (output * probe.randn(B, S, D, dtype=torch.float32)).sum()
        (gradient,) = torch.autograd.grad(total, memory, materialize_grads=True)
        expect_finite_gradient(expect, gradient, total, what="gradient of the memory")
        expect.true(
            gradient[0].abs().max().item() > 1e-6,
            observed="a gradient of zero",
            expected="outputs that depend on the memory",
            why=lambda: reasons.NO_GRADIENT,
        )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        pair = probe.pair("CrossAttention", D_QUERY, D_MEMORY, D, H)
        x, memory = both(probe, dtype=torch.float64)
        expect.gradients(pair.student, pair.reference, x, memory, probe.mask(B, L))

    def test_gradients_without_a_mask(self, probe, expect):
        """Without a mask, all gradients are right."""
        pair = probe.pair("CrossAttention", D_QUERY, D_MEMORY, D, H)
        expect.gradients(pair.student, pair.reference, *both(probe, dtype=torch.float64))
