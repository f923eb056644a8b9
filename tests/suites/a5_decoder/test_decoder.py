"""a5.decoder, hidden criteria: masking, memory, state, modes, numerics, gradients.

But for the fresh check, a student's module is compared with itself: a norm in another place costs
`outputs` and nothing here.
"""

import pytest
import torch

from .. import proofs, reasons
from ..dropped import DRAWS, expect_drops_inside
from ..expectations import (
    expect_gradient,
    expect_hidden_whatever_their_scores,
    expect_no_dropout,
    expect_path_back,
    expect_same_again,
    expect_same_state,
)
from ..token_tables import expect_every_token_learns, tables_of

B, H, T, L, D, VOCABULARY = 2, 3, 5, 7, 12, 11
MANY = 32
BLOCK = 2 * 4 * (D * D + D) + 2 * 4 * D * D + 5 * D + 3 * 2 * D
"""Two attentions of four maps, the mlp, three norms."""


def build_block(probe, *, dropout=0.0, dtype=torch.float64, train=False):
    """Return the student's block, all its weights drawn by us."""
    return probe.module("DecoderBlock", D, H, dropout=dropout, dtype=dtype, train=train)


def build_decoder(probe, *, depth=2, dtype=torch.float64):
    """Return the student's decoder, all its weights drawn by us."""
    return probe.module("Decoder", depth, D, H, VOCABULARY, dtype=dtype)


def draw(probe, batch=B, dtype=torch.float64):
    """Return tokens and memory for a block."""
    return probe.randn(batch, T, D, dtype=dtype), probe.randn(batch, L, D, dtype=dtype)


def run(expect, block, x, memory, **mask):
    """Call the student's block; the output has the right shape and no NaN, or the check ends."""
    output = block(x, memory, **mask)
    expect.floats(output, x.shape, what="output")
    expect.finite(output, what="output")
    return output


def read(expect, decoder, numbers, memory, **mask):
    """Call the student's decoder; the logits have the right shape and no NaN, or the check ends."""
    logits = decoder(numbers, memory, **mask)
    expect.floats(logits, (*numbers.shape, VOCABULARY), what="logits")
    expect.finite(logits, what="logits")
    return logits


def moved(one, other):
    """Return for each sample and token whether the two differ, (B, T)."""
    return (one - other).detach().abs().amax(-1) > 1e-6


def expect_answer(expect, block, x, memory, **mask):
    """Return the output. Each token has its own, which depends on tokens and memory, and the same
    inputs give the same in a process that has not seen them; or the check ends."""
    output = run(expect, block, x, memory, **mask)
    others = run(expect, block, -x, memory, **mask), run(expect, block, x, -memory, **mask)
    expect_same_again(
        expect, run, block, -x, memory, answer=others[0], what="output once more", **mask
    )
    seen = [moved(other, output).all() for other in others]
    mixed = (output - x).abs().max() > 1e-3
    expect.true(
        bool(all(seen) and mixed and moved(output[:, 1:], output[:, :1]).all()),
        observed="the output does not depend on tokens and memory",
        expected="other outputs for other tokens and another memory",
    )
    return output


def expect_tokens_seen_beside_a_mask(probe, expect, block, x):
    """Expect that a mask of as many memory tokens as there are tokens hides none of the latter."""
    memory, mask = probe.randn(B, T, D), probe.mask(B, T)
    mask[:, 0] = False
    before = run(expect, block, x, memory, memory_mask=mask)
    changed = x.clone()
    changed[:, 0] += probe.randn(B, D)
    seen = moved(run(expect, block.apart, changed, memory, memory_mask=mask), before)
    expect.true(
        bool(seen.all()),
        observed="memory_mask hides a token of the text, as there are as many of both",
        expected="a memory_mask that says nothing about the text",
    )


def look_ahead(probe, expect, block):
    """Name the way in which tokens see others than those before them."""
    x, memory = draw(probe)
    return proofs.look_ahead(lambda tokens: run(expect, block, tokens, memory), 0.3 * x)


class TestMasking:
    def test_future_tokens_stay_hidden(self, probe, expect):
        """No output of a block depends on a later token."""
        block = build_block(probe)
        x, memory = draw(probe)
        before = expect_answer(expect, block, x, memory)
        for place in range(1, T):
            changed = x.clone()
            changed[:, place:] = probe.randn(B, T - place, D, scale=3.0)
            expect.close(
                run(expect, block.apart, changed, memory)[:, :place],
                before[:, :place],
                what=f"output before token {place} after changing it and all later ones",
                atol=1e-6,
                why=lambda: look_ahead(probe, expect, block),
            )
        many, memory = draw(probe, batch=4 * MANY)
        expect_hidden_whatever_their_scores(
            expect,
            lambda tokens: run(expect, block, tokens, memory),
            block,
            many,
            torch.ones(T, T, dtype=torch.bool).triu(1),
        )

    def test_past_tokens_are_seen(self, probe, expect):
        """Every token sees itself and all tokens before it."""
        block = build_block(probe)
        x, memory = draw(probe)
        x = 0.5 * x
        before = expect_answer(expect, block, x, memory)
        for place in range(T):
            changed = x.clone()
            changed[:, place] += probe.randn(B, D)
            seen = moved(run(expect, block.apart, changed, memory), before)[:, place:]
            expect.true(
                bool(seen.all()),
                observed=f"an output from token {place} on does not depend on it",
                expected="every output depends on its own token and on all before it",
                why=lambda: look_ahead(probe, expect, block),
            )

    def test_logits_do_not_know_the_next_token(self, probe, expect):
        """No logits depend on a later token, and they do on every earlier one."""
        decoder = build_decoder(probe)
        numbers, memory = probe.randint(0, VOCABULARY, (B, T)), probe.randn(B, L, D)
        before = read(expect, decoder, numbers, memory)
        for place in range(T):
            changed = numbers.clone()
            changed[:, place] = (changed[:, place] + 1) % VOCABULARY
            seen = moved(read(expect, decoder.apart, changed, memory), before)
            expected = torch.arange(T) >= place
            expect.true(
                bool((seen == expected).all()),
                observed=f"token {place} is seen at the wrong places",
                expected=f"token {place} changes the logits from place {place} on, and no others",
            )

    def test_places_count(self, probe, expect):
        """The same tokens in another order leave other logits behind them."""
        # In one block the last token sees the earlier ones as a set, but for their positions.
        decoder = build_decoder(probe, depth=1)
        numbers = torch.tensor([[3, 8, 1, 5, 2], [1, 3, 8, 5, 2]])
        memory = probe.randn(1, L, D).repeat(2, 1, 1)
        logits = read(expect, decoder, numbers, memory)
        expect_same_again(
            expect,
            read,
            decoder,
            numbers,
            memory,
            answer=logits,
            what="logits of the same tokens once more",
        )
        expect.true(
            bool(moved(logits[:1, -1:], logits[1:, -1:]).all()),
            observed="the order of earlier tokens does not matter",
            expected="logits that depend on where a token stands",
        )


class TestMemory:
    def test_all_of_the_memory_is_seen(self, probe, expect):
        """Every output depends on every token of the memory of its own sample, and of no other."""
        block = build_block(probe)
        x, memory = draw(probe)
        before = expect_answer(expect, block, x, memory)
        for place in range(L):
            changed = memory.clone()
            changed[0, place] += probe.randn(D)
            seen = moved(run(expect, block.apart, x, changed), before)
            expect.true(
                bool(seen[0].all() and not seen[1:].any()),
                observed=f"token {place} of a memory is not seen, or by another sample",
                expected="each token sees all of the memory of its own sample",
            )

    @pytest.mark.parametrize("whole", [False, True], ids=["block", "decoder"])
    def test_hidden_memory_is_never_seen(self, probe, expect, whole):
        """What memory_mask hides changes nothing, and what it leaves does."""
        x, memory = draw(probe)
        mask = probe.mask(B, L)
        mask[0, 2], mask[1, 2], mask[0, 4], mask[1, 4] = False, True, True, False
        if whole:
            decoder = build_decoder(probe)
            numbers = probe.randint(0, VOCABULARY, (B, T))

            def answer(memory, apart=True, mask=mask):
                asked = decoder.apart if apart else decoder
                return read(expect, asked, numbers, memory, memory_mask=mask)
        else:
            block = build_block(probe)
            expect_answer(expect, block, x, memory, memory_mask=mask)
            expect_tokens_seen_beside_a_mask(probe, expect, block, x)

            def answer(memory, apart=True, mask=mask):
                asked = block.apart if apart else block
                return run(expect, asked, x, memory, memory_mask=mask)

        before = answer(memory, apart=False)

        def why():
            each = [moved(answer(of_one_changed(place)), before) for place in range(L)]
            seen = torch.stack(each, dim=-1)  # B T L
            same = not bool(moved(answer(memory, mask=None), before).any())
            return proofs.reading_of(
                seen, mask[:, None].expand_as(seen), torch.ones_like(seen), same
            )

        def of_one_changed(place):
            changed = memory.clone()
            changed[:, place] += probe.randn(B, D)
            return changed

        for place in range(L):
            seen = moved(answer(of_one_changed(place)), before)
            expect.true(
                bool((seen == mask[:, place, None]).all()),
                observed=f"whether token {place} of the memory is seen does not follow the mask",
                expected="the mask decides, for each sample",
                why=why,
            )
        if not whole:
            many, memory = draw(probe, batch=MANY)
            first = torch.arange(L) == 0  # all that may be seen of the memory
            expect_hidden_whatever_their_scores(
                expect,
                lambda tokens: run(expect, block, many, tokens, memory_mask=first.expand(MANY, L)),
                block,
                memory,
                ~first.expand(T, L),
            )


class TestState:
    def test_number_of_parameters(self, student, expect):
        """Block and decoder have as many parameters as their parts need; each block has its own."""
        decoder = VOCABULARY * D + 2 * D + D * VOCABULARY + VOCABULARY
        for module, expected in (
            (student.DecoderBlock(D, H), BLOCK),
            (student.Decoder(3, D, H, VOCABULARY), decoder + 3 * BLOCK),
        ):
            count = sum(parameter.numel() for parameter in module.parameters())
            expect.true(
                count == expected, observed=f"{count} numbers", expected=f"{expected} numbers"
            )

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second decoder that loads the first one's state_dict gives the same logits."""
        first, second = build_decoder(probe), build_decoder(probe)
        numbers, memory = probe.randint(0, VOCABULARY, (B, T)), probe.randn(B, L, D)
        state, wanted = first.state(), read(expect, first, numbers, memory)
        expect.true(
            bool(moved(read(expect, second, numbers, memory), wanted).all()),
            observed="the logits do not depend on the weights",
            expected="different logits for different weights",
        )
        second.load(state)
        expect_same_state(
            expect, read, second, numbers, memory, answer=wanted, what="logits", atol=1e-6
        )

    def test_inputs_are_not_modified(self, probe, expect):
        """Tokens, memory and mask are the same after the call as before it."""
        x, memory = draw(probe)
        mask = probe.mask(B, L)
        mask[0] = False  # a memory of nothing but padding: some open its mask for the softmax
        output = expect.unchanged(build_block(probe), x, memory, memory_mask=mask)
        expect.shape(output, x.shape, what="output")

    def test_short_call_leaves_no_trace(self, probe, expect):
        """After a shorter and a longer text, a text still gives the output it gave before."""
        block = build_block(probe)
        x, memory = draw(probe)
        before = run(expect, block, x, memory)
        run(expect, block.apart, -2 * x[:, :3], memory)
        run(expect, block.apart, -2 * torch.cat([x, x], dim=1), memory[:, :2].contiguous())
        expect.close(run(expect, block.apart, x, memory), before, what="output", atol=1e-6)

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: build_block(probe), *draw(probe))
        numbers = probe.randint(0, VOCABULARY, (B, T))
        expect.separate(lambda: build_decoder(probe), numbers, draw(probe)[1])


class TestModes:
    def test_eval_repeats_itself(self, probe, expect):
        """In eval mode two calls agree, and train mode gives something else."""
        block = build_block(probe, dropout=0.5)
        x, memory = draw(probe, batch=16)
        calm = expect_answer(expect, block, x, memory)
        block.train()
        wild = run(expect, block, x, memory)
        expect.true(
            bool(moved(wild, calm).any()),
            observed="train mode and eval mode give the same output",
            expected="dropout in train mode",
            why=lambda: reasons.NOTHING_DROPPED,
        )
        block.eval()
        again = run(expect, block.apart, x, memory)
        expect.close(again, calm, what="output in eval mode", atol=1e-6)

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        block = build_block(probe)
        x, memory = draw(probe)
        calm = expect_answer(expect, block, x, memory)
        expect_no_dropout(
            expect, run, block, x, memory, answer=calm, what="output in train mode", atol=1e-6
        )

    @pytest.mark.parametrize("branch", ["self-attention", "mlp"])
    def test_each_branch_drops(self, probe, expect, branch):
        """In train mode dropout is at work inside the self-attention as well as inside the mlp."""
        pair = probe.pair("DecoderBlock", D, H, dropout=0.5)
        drops = {"self-attention": "self_attention.projection", "mlp": "mlp.fc2"}
        off = {*drops.values(), "cross_attention.out_proj"} - {drops[branch]}
        weights = pair.reference.module.named_parameters()
        pair.write({n: torch.zeros_like(w) for n, w in weights if n.rpartition(".")[0] in off})
        block, (x, memory) = pair.student, draw(probe, batch=16)
        calm = run(expect, block.eval(), x, memory)
        again = run(expect, block.apart, x, memory)
        expect.close(again, calm, what="output in eval mode", atol=1e-6)
        wild = run(expect, block.train(), x, memory)
        expect.true(
            bool(moved(wild, calm).any()),
            observed=f"train mode and eval mode give the same where only the {branch} is at work",
            expected="dropout in train mode in both branches",
        )
        wild = run(expect, block, x[:1].repeat(DRAWS, 1, 1), memory[:1].repeat(DRAWS, 1, 1))
        expect_drops_inside(expect, wild[:, -1], branch)


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` logits are finite and have that dtype, masked or not."""
        decoder = build_decoder(probe, dtype=dtype)
        numbers, memory = probe.randint(0, VOCABULARY, (B, T)), probe.randn(B, L, D, dtype=dtype)
        for mask in ({}, {"memory_mask": probe.mask(B, L)}):
            logits = read(expect, decoder, numbers, memory, **mask)
            expect.dtype(logits, dtype, what="logits")
            again = read(expect, decoder.apart, numbers, memory, **mask)
            expect.close(again, logits, what="logits of the same tokens once more", atol=1e-2)
            other = read(expect, decoder, (numbers + 1) % VOCABULARY, memory, **mask)
            expect.true(
                bool(((other - logits).abs() > 1e-3).any()),
                observed="the logits do not depend on the tokens",
                expected="other logits for other tokens",
            )

    def test_memory_hidden_altogether(self, probe, expect):
        """A sample whose whole memory is hidden gets a finite output, which does not depend on it;
        the other samples keep theirs."""
        block = build_block(probe)
        x, memory = draw(probe)
        mask = torch.ones(B, L, dtype=torch.bool)
        whole = expect_answer(expect, block, x, memory, memory_mask=mask)
        mask = mask.clone()
        mask[0] = False
        output = run(expect, block.apart, x, memory, memory_mask=mask)
        expect.close(output[1:], whole[1:], what="output of the other samples", atol=1e-6)
        changed = run(expect, block, x, -3 * memory, memory_mask=mask)
        expect.close(
            changed[0],
            output[0],
            what="output after changing what is hidden",
            atol=1e-6,
            why=lambda: proofs.nobody_is_seen(output[0], changed[0]),
        )


class TestGradients:
    @pytest.mark.parametrize("turned", [0, 1], ids=["tokens", "memory"])
    def test_gradient_predicts_the_change(self, probe, expect, turned):
        """The gradient tells how the output changes when tokens or memory move a little."""
        block = build_block(probe)
        inputs = list(draw(probe))
        expect_answer(expect, block, *inputs)
        direction, probed = probe.randn(*inputs[turned].shape), probe.randn(B, T, D)

        def level(step, track=False):
            tensors = list(inputs)
            tensors[turned] = (inputs[turned] + step * direction).requires_grad_(track)
            return (run(expect, block, *tensors) * probed).sum(), tensors[turned]

        total, tensor = level(0.0, track=True)
        expect_path_back(expect, total, expected="a gradient for every input")
        (gradient,) = torch.autograd.grad(total, tensor, materialize_grads=True)
        expect_gradient(
            expect, gradient, total, expected="an output that depends on tokens and memory"
        )
        slope = ((level(1e-4)[0] - level(-1e-4)[0]) / 2e-4).detach()
        expect.close((gradient * direction).sum(), slope, what="slope of the output", atol=1e-2)

    def test_every_token_learns(self, probe, expect):
        """The vector of every token that is read gets a gradient, that of token 0 too."""
        decoder = build_decoder(probe)
        tables = tables_of(decoder, VOCABULARY)
        numbers = (torch.arange(3 * T) % VOCABULARY).view(3, T)
        logits = read(expect, decoder, numbers, probe.randn(3, L, D))
        expect_every_token_learns(probe, expect, tables, logits, "decoder.token_0_is_padding")

    def test_every_weight_learns(self, probe, expect):
        """Every weight of a decoder gets a gradient that is finite and not zero."""
        decoder = build_decoder(probe)
        # No softmax feels a number that is added to all scores: a key's bias learns nothing.
        # Its name may tell what it is or not, and it may have an axis for heads: it is no larger
        # than a token, and a matrix is.
        parameters = {
            n: p for n, p in decoder.named_parameters() if p.numel() > D or n.endswith("weight")
        }
        numbers, memory = probe.randint(0, VOCABULARY, (B, T)), probe.randn(B, L, D)
        logits = read(expect, decoder, numbers, memory)
        expect_path_back(expect, logits, expected="a gradient for every weight")
        total = (logits * probe.randn(B, T, VOCABULARY)).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), materialize_grads=True)
        for name, gradient in zip(parameters, gradients, strict=True):
            expect_gradient(
                expect, gradient, total, name=name, expected="a gradient for every weight"
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        pair = probe.pair("DecoderBlock", D, H, expansion=2)
        x, memory = draw(probe)
        expect.gradients(pair.student, pair.reference, x, memory, memory_mask=probe.mask(B, L))
