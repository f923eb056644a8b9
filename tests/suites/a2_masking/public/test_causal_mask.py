"""a2.causal_mask, public criteria: shapes and values without an offset."""

import pytest
import torch


class TestShapes:
    @pytest.mark.parametrize(("T", "offset"), [(5, 0), (1, 0), (3, 4)])
    def test_bools(self, student, expect, T, offset):
        """The mask is (T, T + offset), of bools."""
        mask = student.causal_mask(T, offset)
        expect.shape(mask, (T, T + offset), what="mask")
        expect.dtype(mask, torch.bool, what="mask")


class TestOutputs:
    @pytest.mark.parametrize("T", [1, 2, 6])
    def test_no_query_looks_ahead(self, student, reference, expect, T):
        """Without an offset, each query may see itself and everything before it."""
        expect.matches(student.causal_mask, reference.causal_mask, T)
