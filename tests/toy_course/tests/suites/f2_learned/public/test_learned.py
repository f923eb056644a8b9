"""f2.learned, public criteria: shapes and values."""

import torch

B, R, C, K = 2, 5, 6, 3


class TestShapes:
    def test_output(self, student, probe, expect):
        """(B, R, C) becomes (B, R-K+1, C-K+1)."""
        output = student.LearnedFilter(K, 0.0)(probe.randn(B, R, C, dtype=torch.float32))
        expect.shape(output, (B, R - K + 1, C - K + 1), what="result")


class TestOutputs:
    def test_values(self, probe, expect):
        """With the same kernel and offset, the values are right in eval mode."""
        pair = probe.pair("LearnedFilter", K, 0.5)
        expect.matches(pair.student, pair.reference, probe.randn(B, R, C))
