"""a2.padding, public criteria: shapes and values."""

import pytest
import torch

B, H, S, L = 3, 2, 4, 6


class TestShapes:
    @pytest.mark.parametrize("count", [B, 1])
    def test_padding(self, student, expect, count):
        """A padding mask is (B, 1, 1, L), of bools."""
        mask = student.padding_mask(torch.tensor([2, L, 1])[:count], L)
        expect.shape(mask, (count, 1, 1, L), what="mask")
        expect.dtype(mask, torch.bool, what="mask")

    def test_combined(self, student, probe, expect):
        """Combined masks have the shape that they broadcast to, and are bool."""
        mask = student.combine_masks(probe.mask(S, L), probe.mask(B, 1, 1, L))
        expect.shape(mask, (B, 1, S, L), what="mask")
        expect.dtype(mask, torch.bool, what="mask")


class TestOutputs:
    def test_padding(self, student, reference, expect):
        """As many keys may be attended to as the sequence is long, from the first on."""
        lengths = torch.tensor([2, 5, 1])
        expect.matches(student.padding_mask, reference.padding_mask, lengths, L)

    @pytest.mark.parametrize("count", [1, 2, 3], ids=["one", "two", "three"])
    def test_combined(self, student, reference, probe, expect, count):
        """What is allowed by every mask is allowed, and nothing else."""
        masks = [probe.mask(B, 1, S, L, keep=0.8) for _ in range(count)]
        expect.matches(student.combine_masks, reference.combine_masks, *masks)

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_none_among_them(self, student, reference, probe, expect, place):
        """A None among the masks allows everything, wherever it stands."""
        masks = [probe.mask(S, L), probe.mask(S, L)]
        masks.insert(place, None)
        expect.matches(student.combine_masks, reference.combine_masks, *masks)
