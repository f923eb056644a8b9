"""a5.online, hidden criteria: blocks, masking, memory, numerics, gradients, state.

But for the fresh check, what a student computed is compared with the same in other blocks: a wrong
scale costs `outputs` and nothing here.
"""

import pytest
import torch

from ..expectations import expect_gradient, expect_path_back

B, H, S, L, DH, DV = 2, 3, 4, 7, 6, 5


def attend(student, expect, query, key, value, block_size, **mask):
    """Call the student's function; the output has the right shape, or the check ends."""
    output = student.chunked_attention(query, key, value, block_size, **mask)
    expect.floats(output, (*query.shape[:-1], value.shape[-1]), what="output")
    return output


def draw(probe, *leading, dtype=torch.float64):
    """Return query, key and value of the usual sizes."""
    return (
        probe.randn(*leading, S, DH, dtype=dtype),
        probe.randn(*leading, L, DH, dtype=dtype),
        probe.randn(*leading, L, DV, dtype=dtype),
    )


def expect_attention(expect, output, value):
    """Queries get different mixtures of the values, or the check ends: what is the same whatever
    comes in is the same in any blocks."""
    expect.finite(output, what="output")
    inside = (output > value.amin(-2, True) - 0.1) & (output < value.amax(-2, True) + 0.1)
    expect.true(
        bool(inside.all()) and bool((output[..., 1:, :] - output[..., :1, :]).abs().max() > 1e-3),
        observed="the output is no mixture of values that depends on the query",
        expected="for each query a mixture of its own",
    )


def expect_shares(student, expect, chunks):
    """Return the shares: of the right shape, none negative, adding up to 1; or the check ends."""
    shares = student.online_softmax(chunks)
    width = sum(chunk.shape[-1] for chunk in chunks)
    expect.floats(shares, (*chunks[0].shape[:-1], width), what="shares")
    expect.finite(shares, what="shares")
    expect.true(bool((shares >= 0).all()), observed="a negative share", expected="none")
    expect.close(shares.sum(-1), torch.ones(shares.shape[:-1]), what="sum of the shares", atol=1e-4)
    return shares


class TestBlocks:
    @pytest.mark.parametrize("order", ["growing", "falling"])
    def test_chunks_make_no_difference(self, student, probe, expect, order):
        """Scores that grow or fall from chunk to chunk get the shares they get in one piece."""
        scores = probe.randn(B, S, 8) + torch.arange(8.0) * (2.0 if order == "growing" else -2.0)
        whole = expect_shares(student, expect, [scores])
        expect.true(
            bool((whole[..., 1:] - whole[..., :-1]).abs().max() > 1e-2),
            observed="all scores get the same share",
            expected="a larger share for a larger score",
        )
        for widths in ([1] * 8, [3, 1, 4], [7, 1]):
            # Other scores for whoever remembers them, and the same differences.
            scores = scores + probe.randn(B, S, 1)
            shares = expect_shares(student.apart, expect, list(scores.split(widths, dim=-1)))
            expect.close(shares, whole, what=f"shares in chunks of {widths}", atol=1e-5)

    @pytest.mark.parametrize("order", ["growing", "falling"])
    def test_block_size_makes_no_difference(self, student, probe, expect, order):
        """Keys that fit better and better, or worse and worse, give the same in any blocks."""
        query, key, value = draw(probe, B)
        slope = torch.arange(L, dtype=torch.float64) * (1.0 if order == "growing" else -1.0)
        query[..., 0], key[..., 0] = 4.0, slope
        whole = attend(student, expect, query, key, value, L)
        expect_attention(expect, whole, value)
        for block_size in (1, 2, 3, 5, 6, 20):
            output = attend(student.apart, expect, query, key, value, block_size)
            expect.close(output, whole, what=f"output in blocks of {block_size}", atol=1e-5)

    def test_a_longer_text_in_small_blocks(self, student, probe, expect):
        """Many small blocks, the last of them not full, lose no key."""
        query, key, value = probe.randn(S, DH), probe.randn(50, DH), probe.randn(50, DV)
        before = attend(student, expect, query, key, value, 8)
        expect_attention(expect, before, value)
        for place in (0, 7, 8, 47, 48, 49):
            moved = value.clone()
            moved[place] += 100.0
            change = attend(student.apart, expect, query, key, moved, 8) - before
            expect.true(
                bool((change > 1e-4).all()),
                observed=f"token {place} of 50 is never looked at, in blocks of 8",
                expected="some weight for every token",
            )


class TestMasking:
    @pytest.mark.parametrize(
        ("leading", "shape"),
        [((B,), (B, S, L)), ((B,), (S, L)), ((B,), (B, 1, L)), ((B, H), (B, 1, 1, L))],
        ids=["per-sample", "shared", "same-for-all-queries", "over-heads"],
    )
    def test_forbidden_tokens_are_never_mixed_in(self, student, probe, expect, leading, shape):
        """A token that may not be attended to changes nothing, and every other one does."""
        query, key, value = draw(probe, *leading)
        query = 0.2 * query  # small scores: no weight is near zero
        mask = probe.mask(*shape)
        allowed = mask.expand(*leading, S, L)
        before = attend(student, expect, query, key, value, 3, mask=mask)
        expect.finite(before, what="output")
        for place in range(L):
            moved, other = value.clone(), key.clone()
            moved[..., place, :] += 100.0
            other[..., place, :] += 1.0
            change = attend(student.apart, expect, query, other, moved, 3, mask=mask) - before
            seen = change.abs().amax(-1) > 1e-3
            expect.true(
                bool((seen == allowed[..., place]).all()),
                observed=f"whether token {place} is looked at does not follow the mask",
                expected="the mask, and nothing else, decides",
            )

    def test_blocks_without_an_allowed_key(self, student, probe, expect):
        """A block in which a query sees nothing leaves its output alone, first, last or between."""
        query, key, value = draw(probe, B)
        mask = torch.zeros(S, L, dtype=torch.bool)
        mask[0, 5:], mask[1, :2], mask[2, 3], mask[3] = True, True, True, True
        whole = attend(student, expect, query, key, value, L, mask=mask)
        expect.finite(whole, what="output in one block")
        expect.close(whole[:, 2], value[:, 3], what="output of a query with one key", atol=1e-5)
        for block_size in (1, 2, 3):
            output = attend(student.apart, expect, query, key, value, block_size, mask=mask)
            expect.close(output, whole, what=f"output in blocks of {block_size}", atol=1e-5)

    def test_one_column_for_all_keys(self, student, probe, expect):
        """A mask of shape (S, 1) says for a query whether it may attend at all."""
        query, key, value = draw(probe, B)
        mask = torch.tensor([True, False, True, True]).reshape(S, 1)
        free = attend(student, expect, query, key, value, 3)
        expect_attention(expect, free, value)
        output = attend(student.apart, expect, query, key, value, 3, mask=mask)
        expect.close(output[:, [0, 2, 3]], free[:, [0, 2, 3]], what="output", atol=1e-6)


class TestMemory:
    @pytest.mark.alone
    def test_no_matrix_of_all_scores(self, student, probe, expect):
        """4096 tokens attend to 4096 in 20 MiB, a third of what a matrix of their scores needs."""
        tokens = 4096
        query, key = (probe.randn(tokens, 4, dtype=torch.float32) for _ in range(2))
        value = probe.randn(tokens, 3, dtype=torch.float32)
        with torch.no_grad():
            output = expect.within_memory(20, student.chunked_attention, query, key, value, 64)
        expect.floats(output, (tokens, 3), what="output")
        # Who kept this answer, or never had one, does not know which of it is asked for once more.
        places = probe.randint(0, tokens, (16,))
        few = attend(student.apart, expect, query[places], key, value, 64)
        expect_attention(expect, few, value)
        expect.close(few, output[places], what="output of a few of them", atol=1e-4)


class TestNumerics:
    def test_scores_of_minus_infinity(self, student, probe, expect):
        """A score of -inf gets the share 0, also where a whole chunk of them comes first."""
        scores = probe.randn(B, S, 8)
        scores[0, 0, :3] = scores[0, 1, 3:] = scores[1, :, 2] = -torch.inf
        shares = expect_shares(student, expect, list(scores.split([3, 1, 4], dim=-1)))
        lost = scores == -torch.inf
        expect.close(shares[lost], torch.zeros(int(lost.sum())), what="share of -inf", atol=1e-9)
        expect.true(
            bool((shares[~lost] > 0).all()), observed="a finite score gets 0", expected="a share"
        )

    def test_nothing_but_minus_infinity(self, student, probe, expect):
        """A row of nothing but -inf gets zeros, and the rows beside it their shares."""
        scores = probe.randn(B, S, 8)
        scores[:, 1] = -torch.inf
        shares = student.online_softmax(list(scores.split([3, 1, 4], dim=-1)))
        expect.floats(shares, scores.shape, what="shares")
        sums = torch.ones(B, S)
        sums[:, 1] = 0.0
        expect.finite(shares, what="shares")
        expect.close(shares.sum(-1), sums, what="sums of the shares", atol=1e-4)

    @pytest.mark.parametrize("offset", [-30000.0, 0.0, 3000.0], ids=["low", "wide", "high"])
    def test_scores_in_the_thousands(self, student, probe, expect, offset):
        """Scores far above or below zero get the shares that their differences give."""
        scores = probe.randn(B, S, 8, scale=1.0 if offset else 3000.0) + offset
        scores[0, 0, :3] += 900.0
        scores[0, 1, 3:] += 900.0
        whole = expect_shares(student, expect, [scores])
        best = scores.argmax(-1)
        shares = expect_shares(student.apart, expect, list(scores.split([3, 1, 4], dim=-1)))
        expect.close(shares, whole, what="shares", atol=1e-5)
        expect.true(
            torch.equal(shares.argmax(-1), best),
            observed="the largest score does not get the largest share",
            expected="the largest share for the largest score",
        )

    def test_query_without_any_key(self, student, probe, expect):
        """A query that may attend to nothing gets zeros, and every other one an output."""
        query, key, value = draw(probe, B)
        mask = probe.mask(S, L)
        mask[1] = False
        output = attend(student, expect, query, key, value, 3, mask=mask)
        expect.finite(output, what="output")
        expect.close(output[:, 1], torch.zeros(B, DV), what="output of that query")
        expect.true(
            bool((output[:, [0, 2, 3]].abs().amax(-1) > 1e-6).all()),
            observed="a query that may attend to some keys gets zeros too",
            expected="zeros for a query without any key only",
        )

    def test_huge_scores(self, student, probe, expect):
        """Scores in the thousands give a finite output, the same in any blocks."""
        query, key, value = draw(probe, B)
        whole = attend(student, expect, 100 * query, 100 * key, value, L)
        expect_attention(expect, whole, value)
        output = attend(student.apart, expect, 100 * query, 100 * key, value, 2)
        expect.close(output, whole, what="output", atol=1e-5)

    def test_precision_of_float64(self, student, probe, expect):
        """In float64, blocks of any size agree in ten digits."""
        query, key, value = draw(probe, B)
        whole = attend(student, expect, query, key, value, L)
        expect_attention(expect, whole, value)
        expect.dtype(whole, torch.float64, what="output")
        output = attend(student.apart, expect, query, key, value, 2)
        expect.close(output, whole, what="output in blocks of 2", atol=1e-10)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_half_precision(self, student, probe, expect, dtype):
        """In half precision, with a mask, the output is finite and keeps its dtype."""
        query, key, value = draw(probe, B, dtype=dtype)
        mask = probe.mask(S, L)
        output = attend(student, expect, query, key, value, 3, mask=mask)
        expect.dtype(output, dtype, what="output")
        expect_attention(expect, output, value)
        wide = [tensor.to(torch.float32) for tensor in (query, key, value)]
        full = attend(student.apart, expect, *wide, 3, mask=mask)
        expect.close(output, full, what="output in half precision", atol=6e-2)

    def test_each_query_has_a_maximum_of_its_own(self, student, probe, expect):
        """A query gets the output that it gets alone, whatever the scores of the others are."""
        query, key, value = draw(probe, B)
        query = query * torch.tensor([1.0, 300.0, 1.0, 0.1], dtype=torch.float64)[:, None]
        together = attend(student, expect, 10 * query, key, value, 3)
        expect_attention(expect, together, value)
        for place in range(S):
            alone = attend(student.apart, expect, 10 * query[:, place, None], key, value, 3)
            expect.close(together[:, place, None], alone, what=f"output {place}", atol=1e-6)

    def test_low_scores_keep_their_shares(self, student, probe, expect):
        """Where all scores of a query are lower by the same, its output is the same."""
        query, key, value = draw(probe, B)
        query[..., 0] = 1.0
        usual = attend(student, expect, query, key, value, 3)
        expect_attention(expect, usual, value)
        key[..., 0] -= 60_000.0  # a score of -24,000 and less
        lower = attend(student.apart, expect, query, key, value, 3)
        expect.close(lower, usual, what="output", atol=1e-6)


class TestGradients:
    @pytest.mark.parametrize("moved", [0, 1, 2], ids=["query", "key", "value"])
    def test_gradient_predicts_the_change(self, student, probe, expect, moved):
        """The gradient tells how the output changes when an input moves a little."""
        inputs = list(draw(probe, B))
        direction, probed = probe.randn(*inputs[moved].shape), probe.randn(B, S, DV)

        def level(step, track=False):
            tensors = list(inputs)
            tensors[moved] = (inputs[moved] + step * direction).requires_grad_(track)
            return (attend(student, expect, *tensors, 3) * probed).sum(), tensors[moved]

        total, tensor = level(0.0, track=True)
        expect_path_back(expect, total, expected="a gradient for every input")
        (gradient,) = torch.autograd.grad(total, tensor, materialize_grads=True)
        expect_gradient(expect, gradient, total, expected="an output that depends on every input")
        slope = ((level(1e-3)[0] - level(-1e-3)[0]) / 2e-3).detach()
        expect.close((gradient * direction).sum(), slope, what="slope of the output", atol=1e-2)

    def test_finite_beside_a_query_without_any_key(self, student, probe, expect):
        """A query that may attend to nothing leaves every gradient finite."""
        mask = probe.mask(S, L)
        mask[1] = False
        inputs = [tensor.requires_grad_() for tensor in draw(probe, B)]
        output = attend(student, expect, *inputs, 3, mask=mask)
        expect_path_back(expect, output, expected="a gradient for every input")
        gradients = torch.autograd.grad(
            (output * probe.randn(B, S, DV)).sum(), inputs, materialize_grads=True
        )
        for name, gradient in zip(("query", "key", "value"), gradients, strict=True):
            expect_gradient(
                expect,
                gradient,
                output,
                name=name,
                expected="an output that depends on every input",
            )

    def test_gradient_of_the_shares(self, student, reference, probe, expect):
        """The gradient of every chunk is that of one softmax over all of them."""
        chunks = [probe.randn(B, S, width).requires_grad_() for width in (3, 1, 4)]
        probed = probe.randn(B, S, 8)
        found = []
        for function in (student.online_softmax, reference.online_softmax):
            shares = function(chunks)
            expect.floats(shares, (B, S, 8), what="the softmax")
            total = (shares * probed).sum()
            expect_path_back(expect, total, expected="a gradient")
            found.append(torch.autograd.grad(total, chunks, materialize_grads=True))
        expect.close(list(found[0]), list(found[1]), what="gradients of the chunks", atol=1e-4)

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        expect.gradients(
            student.chunked_attention,
            reference.chunked_attention,
            *draw(probe, B),
            3,
            mask=probe.mask(B, S, L),
        )


class TestState:
    def test_inputs_are_not_modified(self, student, probe, expect):
        """Query, key, value and mask are the same after the call as before it."""
        mask = probe.mask(S, L)
        mask[0] = False  # a query without any key: some open its row for the softmax
        expect.unchanged(student.chunked_attention, *draw(probe, B), 3, mask=mask)

    def test_chunks_are_not_modified(self, student, probe, expect):
        """The chunks are the same after the call as before it."""
        expect.unchanged(student.online_softmax, [probe.randn(S, width) for width in (3, 1, 4)])

    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect):
        """A call gives the same after others, one of them of other sizes, each with its mask."""
        usual = [expect.call(*draw(probe, B), 3, mask=probe.mask(S, L)) for _ in range(2)]
        fewer = probe.randn(S, DV), probe.randn(3, DV), probe.randn(3, DH)
        other = expect.call(*fewer, 2, mask=probe.mask(S, 3))
        expect.starts_anew(student.chunked_attention, *usual)
        expect.starts_anew(student.chunked_attention, usual[0], other)
        widths = (3, 1, 4), (2, 5), (3, 1, 4)
        chunks = [expect.call([probe.randn(S, width) for width in one]) for one in widths]
        expect.starts_anew(student.online_softmax, *chunks)
        expect.starts_anew(student.online_softmax, chunks[0], expect.call([probe.randn(3, 2)]))
