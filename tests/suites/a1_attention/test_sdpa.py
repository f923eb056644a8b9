"""a1.sdpa, hidden criteria: masking, numerics, gradients, state.

Checks of masking look at which keys get weight and never at the scale of the scores, and checks
of gradients compare a student's gradient with that student's own function: one mistake costs the
points of one criterion.
"""

import pytest
import torch

from .. import proofs, reasons
from ..expectations import expect_gradient, expect_path_back

B, H, S, L, DH, DV = 2, 3, 4, 7, 6, 5
MASKED_AFTERWARDS = reasons.Reason(
    id="sdpa.mask_after_softmax",
    text="Weights are masked after the softmax, and the rest no longer adds up to 1.",
)


def attend(student, expect, query, key, value, **mask):
    """Call the student's function; output and weights have the right shapes or the check ends."""
    result = student.scaled_dot_product_attention(query, key, value, **mask)
    output, weights = expect.items(result, 2, what="result")
    expect.floats(output, (*query.shape[:-1], value.shape[-1]), what="output")
    expect.floats(weights, (*query.shape[:-1], key.shape[-2]), what="weights")
    return output, weights


def draw(probe, *leading, dtype=torch.float64):
    """Return query, key and value of the usual sizes."""
    return (
        probe.randn(*leading, S, DH, dtype=dtype),
        probe.randn(*leading, L, DH, dtype=dtype),
        probe.randn(*leading, L, DV, dtype=dtype),
    )


def expect_pattern(expect, weights, allowed, why=None):
    """Forbidden keys have no weight, allowed keys have some."""
    forbidden = weights[~allowed]
    nothing = torch.zeros_like(forbidden)
    expect.close(forbidden, nothing, what="weight of a forbidden key", why=why)
    expect.true(
        bool((weights[allowed] > 0).all()),
        observed="a key that may be attended to gets no weight",
        expected="some weight for every key that may be attended to",
    )


def with_empty_row(probe, kind):
    """Return a mask of the kind that leaves the second query no key, and every other query some."""
    if kind == "one column":
        return torch.tensor([True, False, True, True]).reshape(S, 1)
    allowed = probe.mask(S, L)
    allowed[:, 0] = False  # no row allows everything, so that an inverted mask makes no NaN
    allowed[:, 1] = True
    allowed[1] = False
    return additive(allowed) if kind == "additive" else allowed


def additive(allowed):
    """Return the float mask that forbids what the bool mask forbids."""
    return torch.zeros(allowed.shape, dtype=torch.float64).masked_fill(~allowed, -torch.inf)


class TestMasking:
    @pytest.mark.parametrize(
        ("leading", "shape"),
        [((B,), (B, S, L)), ((B,), (S, L)), ((B,), (B, 1, L)), ((B, H), (B, 1, 1, L))],
        ids=["per-sample", "shared", "same-for-all-queries", "over-heads"],
    )
    def test_forbidden_keys_get_no_weight(self, student, probe, expect, leading, shape):
        """A key that may not be attended to gets no weight, and every other key gets some."""
        mask, inputs = probe.mask(*shape), draw(probe, *leading)
        _, weights = attend(student, expect, *inputs, mask=mask)

        def why():
            expect.finite(attend(student, expect, *inputs)[1], what="weights without a mask")
            _, open_ = attend(student, expect, *inputs, mask=torch.ones_like(mask))
            return proofs.nan_of_the_mask(open_)

        expect_pattern(expect, weights, mask.expand(*leading, S, L), why)

    def test_rows_are_queries(self, student, probe, expect):
        """In a square mask the rows are queries and the columns are keys."""
        query, key, value = probe.randn(B, L, DH), probe.randn(B, L, DH), probe.randn(B, L, DV)
        allowed = torch.ones(L, L, dtype=torch.bool).tril()
        _, weights = attend(student, expect, query, key, value, mask=allowed)
        expect_pattern(expect, weights, allowed.expand(B, L, L))

    def test_forbidden_values_never_reach_the_output(self, student, probe, expect):
        """The value of a forbidden key changes nothing, even where all scores are very low."""
        query, key, value = draw(probe, B)
        query, key = query + 100, key - 100  # scores around -24,000: a fill of -10,000 would win
        mask = probe.mask(B, 1, L)
        before, _ = attend(student, expect, query, key, value, mask=mask)
        hidden = value + 1000.0 * ~mask.transpose(1, 2)
        after, _ = attend(student.apart, expect, query, key, hidden, mask=mask)
        expect.close(after, before, what="output after changing forbidden values")
        seen = value + 1000.0 * mask.transpose(1, 2)
        moved, _ = attend(student, expect, query, key, seen, mask=mask)
        expect.true(
            bool(((moved - before).abs() > 1.0).all()),
            observed="the values of allowed keys do not reach the output",
            expected="an output made of the values of allowed keys",
        )

    def test_remaining_weights_add_up(self, student, probe, expect):
        """The weights of the keys that remain add up to what they do without a mask, however large
        the score of a hidden key is."""
        query, key, value = draw(probe, B)
        mask = probe.mask(B, S, L)
        _, free = attend(student, expect, query, key, value)
        wanted = free.sum(-1)
        _, masked = attend(student.apart, expect, query, key, value, mask=mask)
        expect_pattern(expect, masked, mask)
        expect.close(
            masked.sum(-1),
            wanted,
            what="sum of each row of weights",
            atol=1e-6,
            why=lambda: MASKED_AFTERWARDS if torch.allclose(masked, free * mask) else None,
        )
        query[..., 0] = query[..., 0].abs() + 1.0
        key[:, 1] = 1e4 * torch.eye(DH, dtype=key.dtype)[0]
        mask[..., 0], mask[..., 1] = True, False
        _, masked = attend(student, expect, query, key, value, mask=mask)
        what = "sum of each row of weights beside a large hidden score"
        sums = masked.sum(-1)
        expect.close(
            sums,
            wanted,
            what=what,
            atol=1e-6,
            why=lambda: proofs.hidden_scores_take_part(sums, wanted),
        )

    def test_additive_mask(self, student, probe, expect):
        """A float mask is added to the scaled scores: only -inf forbids, the rest are biases."""
        _, key, value = draw(probe, B)
        query = torch.zeros(B, S, DH, dtype=torch.float64)  # all scores are 0: the mask decides
        bias = probe.randn(B, S, L).masked_fill(~probe.mask(B, S, L), -torch.inf)
        bias[:, 0] -= 64.0
        bias[:, 1] -= 1e6
        _, weights = attend(student, expect, query, key, value, mask=bias)
        shares = weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)  # no NaN of ours
        expect.close(
            shares,
            bias.softmax(-1),
            what="share of each key",
            atol=1e-5,
            why=lambda: proofs.biases_dropped(*(t[:, 2:].flatten(0, 1) for t in (weights, bias))),
        )

    def test_additive_mask_of_another_dtype(self, student, probe, expect):
        """A float64 mask works with float32 tensors, and the result stays float32."""
        allowed = probe.mask(B, S, L)
        query, key, value = draw(probe, B, dtype=torch.float32)
        output, weights = attend(student, expect, query, key, value, mask=additive(allowed))
        expect.dtype(output, torch.float32, what="output")
        expect.dtype(weights, torch.float32, what="weights")
        expect_pattern(expect, weights, allowed)


class TestNumerics:
    @pytest.mark.parametrize("kind", ["bool", "additive", "one column"])
    def test_query_without_any_key(self, student, probe, expect, kind):
        """A query that may attend to nothing gets zeros in its output and its weights."""
        mask = with_empty_row(probe, kind)
        output, weights = attend(student, expect, *draw(probe, B), mask=mask)
        expect.finite(output, what="output")
        expect.close(output[:, 1], torch.zeros(B, DV), what="output of that query")
        expect.close(weights[:, 1], torch.zeros(B, L), what="weights of that query")
        expect.true(
            bool((weights[:, 0] > 0).any()),
            observed="a query that may attend to some keys gets zeros too",
            expected="zeros for a query without any key only",
        )

    def test_mask_in_float16(self, student, probe, expect):
        """A bool mask works in float16: the result is finite and stays float16."""
        query, key, value = draw(probe, B, dtype=torch.float16)
        output, weights = attend(student, expect, query, key, value, mask=probe.mask(B, S, L))
        expect.dtype(output, torch.float16, what="output")
        expect.dtype(weights, torch.float16, what="weights")
        expect.finite(output, what="output")
        expect.finite(weights, what="weights")

    @pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=["float64", "bfloat16"])
    def test_dtype_is_kept(self, student, probe, expect, dtype):
        """Output and weights have the dtype of the query."""
        output, weights = attend(student, expect, *draw(probe, B, dtype=dtype))
        expect.dtype(output, dtype, what="output")
        expect.dtype(weights, dtype, what="weights")

    def test_huge_scores(self, student, probe, expect):
        """Scores in the thousands give finite weights."""
        query, key, value = draw(probe, B)
        output, weights = attend(student, expect, 100 * query, 100 * key, value)
        expect.finite(output, what="output")
        expect.finite(weights, what="weights")

    def test_scores_far_below_those_of_another_sample(self, student, probe, expect):
        """A query spends its weight, however low its scores are beside those of other samples."""
        query, key, value = probe.randn(B, 1, DH), probe.randn(B, L, DH), probe.randn(B, L, DV)
        key[1] = -100 * query[1] * key[1].abs()  # the larger the query, the lower its scores
        query[1] = 100 * query[1]
        output, weights = attend(student, expect, query, key, value)
        expect.finite(output, what="output")
        expect.finite(weights, what="weights")
        expect.true(
            bool((weights.sum(-1) > 1e-6).all()),
            observed="a query gets no weight for any key, as its scores are far below another's",
            expected="weights that depend on the scores of their own query alone",
        )


class TestGradients:
    @pytest.mark.parametrize("moved", [0, 1, 2], ids=["query", "key", "value"])
    def test_gradient_predicts_the_change(self, student, probe, expect, moved):
        """The gradient tells how the output changes when the input moves a little."""
        inputs = list(draw(probe, B))
        direction, probed = probe.randn(*inputs[moved].shape), probe.randn(B, S, DV)

        def level(step, track=False):
            tensors = list(inputs)
            tensors[moved] = (inputs[moved] + step * direction).requires_grad_(track)
            output, _ = attend(student, expect, *tensors)
            return (output * probed).sum(), tensors[moved]

        total, tensor = level(0.0, track=True)
        expect_path_back(expect, total, expected="a gradient for every input")
        (gradient,) = torch.autograd.grad(total, tensor, materialize_grads=True)
        expect_gradient(expect, gradient, total, expected="an output that depends on every input")
        slope = (level(1e-3)[0] - level(-1e-3)[0]) / 2e-3
        # Wide enough for a function that computes in float32.
        expect.close((gradient * direction).sum(), slope, what="slope of the output", atol=1e-2)

    @pytest.mark.parametrize("kind", ["bool", "additive"])
    def test_finite_beside_a_query_without_any_key(self, student, probe, expect, kind):
        """A query that may attend to nothing leaves every gradient finite."""
        mask = with_empty_row(probe, kind)
        inputs = [tensor.requires_grad_() for tensor in draw(probe, B)]
        output, _ = attend(student, expect, *inputs, mask=mask)
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

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        expect.gradients(
            student.scaled_dot_product_attention,
            reference.scaled_dot_product_attention,
            *draw(probe, B),
        )


class TestState:
    def test_inputs_are_not_modified(self, student, probe, expect):
        """Query, key and value are the same after the call as before it."""
        expect.unchanged(student.scaled_dot_product_attention, *draw(probe, B))

    @pytest.mark.parametrize("kind", ["bool", "additive"])
    def test_mask_is_not_modified(self, student, probe, expect, kind):
        """The mask is the same after the call as before it."""
        mask = probe.mask(B, S, L)
        mask[0, 0] = False  # a query without any key: some open its row for the softmax
        expect.unchanged(
            student.scaled_dot_product_attention,
            *draw(probe, B),
            mask=additive(mask) if kind == "additive" else mask,
        )

    @pytest.mark.parametrize("kind", ["bool", "additive"])
    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect, kind):
        """A call gives the same after others, one of them of other sizes, each with its mask."""
        masks = probe.mask(B, S, L), probe.mask(L, S), probe.mask(B, S, L)
        if kind == "additive":
            masks = tuple(additive(mask) for mask in masks)
        other = probe.randn(L, DV), probe.randn(S, DV), probe.randn(S, DH)
        expect.starts_anew(
            student.scaled_dot_product_attention,
            expect.call(*draw(probe, B), mask=masks[0]),
            expect.call(*other, mask=masks[1]),
            expect.call(*draw(probe, B), mask=masks[2]),
        )
