"""a1.sdpa, public criteria: shapes and values without a mask."""

import pytest
import torch

B, H, S, L, DH, DV = 2, 3, 4, 7, 6, 5


def attend(student, expect, query, key, value):
    """Call the student's function; output and weights have the right shapes or the check ends."""
    result = student.scaled_dot_product_attention(query, key, value)
    output, weights = expect.items(result, 2, what="result")
    expect.floats(output, (*query.shape[:-1], value.shape[-1]), what="output")
    expect.floats(weights, (*query.shape[:-1], key.shape[-2]), what="weights")
    return output, weights


class TestShapes:
    @pytest.mark.parametrize(
        "leading", [(B,), (), (B, H)], ids=["batch", "no-batch", "batch-and-heads"]
    )
    def test_output_and_weights(self, student, probe, expect, leading):
        """Output is (…, S, Dv) and weights are (…, S, L), for any leading axes."""
        query = probe.randn(*leading, S, DH)
        key = probe.randn(*leading, L, DH)
        value = probe.randn(*leading, L, DV)
        attend(student, expect, query, key, value)

    def test_one_of_everything(self, student, probe, expect):
        """A batch of one with a single query and a single key keeps all its axes."""
        query, key, value = probe.randn(1, 1, DH), probe.randn(1, 1, DH), probe.randn(1, 1, DV)
        attend(student, expect, query, key, value)

    def test_non_contiguous_inputs(self, student, probe, expect):
        """Transposed views are as good as contiguous tensors."""
        query = probe.randn(B, DH, S).transpose(1, 2)
        key = probe.randn(L, B, DH).transpose(0, 1)
        value = probe.randn(DV, L, B).permute(2, 1, 0)
        attend(student, expect, query, key, value)


class TestOutputs:
    def test_all_widths_differ(self, student, reference, probe, expect):
        """Output and weights are those of softmax(Q Kᵀ / √Dh) V when S, L, Dh and Dv differ."""
        expect.matches(
            student.scaled_dot_product_attention,
            reference.scaled_dot_product_attention,
            probe.randn(B, S, DH),
            probe.randn(B, L, DH),
            probe.randn(B, L, DV),
        )

    def test_all_widths_alike(self, student, reference, probe, expect):
        """Output and weights are right when every axis has the same length."""
        expect.matches(
            student.scaled_dot_product_attention,
            reference.scaled_dot_product_attention,
            probe.randn(4, 4, 4),
            probe.randn(4, 4, 4),
            probe.randn(4, 4, 4),
        )

    def test_batch_and_heads(self, student, reference, probe, expect):
        """Every sample and every head is attended to on its own."""
        expect.matches(
            student.scaled_dot_product_attention,
            reference.scaled_dot_product_attention,
            probe.randn(B, H, S, DH),
            probe.randn(B, H, L, DH),
            probe.randn(B, H, L, DV),
        )

    def test_large_scores(self, student, reference, probe, expect):
        """Output and weights are right when one key wins almost all the weight."""
        expect.matches(
            student.scaled_dot_product_attention,
            reference.scaled_dot_product_attention,
            probe.randn(B, S, DH, scale=5.0),
            probe.randn(B, L, DH, scale=5.0),
            probe.randn(B, L, DV),
        )

    def test_weights_are_a_distribution(self, student, probe, expect):
        """Each query's weights add up to 1, and the key with the largest dot product gets most."""
        query, key = probe.randn(B, S, DH), probe.randn(B, L, DH)
        _, weights = attend(student, expect, query, key, probe.randn(B, L, DV))
        expect.close(weights.sum(-1), torch.ones(B, S), what="sum of each row", atol=1e-6)
        best = (query @ key.transpose(1, 2)).argmax(-1)
        expect.true(
            torch.equal(weights.argmax(-1), best) and weights.min().item() >= 0,
            observed="the weights do not follow the dot products",
            expected="no negative weight, and the largest weight where the dot product is largest",
        )
