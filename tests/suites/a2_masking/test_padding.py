"""a2.padding, hidden criteria: masking, device, state."""

import pytest
import torch

B, H, S, L = 3, 2, 4, 6


def expect_attended(expect, weights, allowed):
    """Weights made with a student's mask are 0 where nothing is allowed, and only there."""
    expect.true(
        torch.equal(weights > 0, allowed.expand(weights.shape)),
        observed="other keys than those of the words get weight",
        expected="weight for the keys that are words, for every head and query",
    )


def bool_mask(expect, mask, shape):
    """The mask is bool, of that shape and where its inputs are, or the check ends."""
    expect.shape(mask, shape, what="mask")
    expect.dtype(mask, torch.bool, what="mask")
    expect.true(
        mask.device.type == "cpu",
        observed=f"a mask on device {mask.device.type}",
        expected="a mask on the device of its inputs, cpu",
    )
    return mask


class TestMasking:
    def test_shortest_and_longest(self, student, reference, expect):
        """A length of 0 hides every key, and a length of L none."""
        expect.matches(
            student.padding_mask, reference.padding_mask, torch.tensor([0, L, 1, L - 1]), L
        )

    @pytest.mark.parametrize("dtype", [torch.int32, torch.uint8], ids=["int32", "uint8"])
    def test_other_integers(self, student, reference, expect, dtype):
        """Lengths may be integers of any width."""
        lengths = torch.tensor([3, 1, 4], dtype=dtype)
        expect.matches(student.padding_mask, reference.padding_mask, lengths, L)

    @pytest.mark.parametrize("count", [L, B], ids=["square", "as-many-keys-as-samples"])
    def test_keys_are_hidden(self, student, probe, expect, count):
        """Against square scores the mask hides keys, from every query alike."""
        lengths = torch.tensor([2, 1, 3])
        mask = bool_mask(expect, student.padding_mask(lengths, count), (B, 1, 1, count))
        scores = probe.randn(B, H, count, count).masked_fill(~mask, -torch.inf)
        words = torch.arange(count) < lengths[:, None, None, None]
        expect_attended(expect, scores.softmax(-1), words)

    def test_triangle_with_padding(self, student, probe, expect):
        """A causal mask and padding together hide the future and the padding."""
        triangle = torch.ones(L, L, dtype=torch.bool).tril()
        words = torch.arange(L) < torch.tensor([2, 5, 1])[:, None, None, None]
        mask = bool_mask(expect, student.combine_masks(triangle, words), (B, 1, L, L))
        scores = probe.randn(B, H, L, L).masked_fill(~mask, -torch.inf)
        expect_attended(expect, scores.softmax(-1), words & triangle)

    def test_small_masks(self, student, reference, probe, expect):
        """Masks broadcast against one another, axes of size 1 included."""
        masks = probe.mask(B, 1, 1, L), probe.mask(1, S), probe.mask(S, L)
        masks = masks[0], masks[1].T, masks[2]
        expect.matches(student.combine_masks, reference.combine_masks, *masks)

    @pytest.mark.parametrize("masks", [(), (None,), (None, None)], ids=["none", "one", "two"])
    def test_no_mask_at_all(self, student, expect, masks):
        """Without any mask, or with nothing but None, the result is None."""
        sure = student.combine_masks(torch.tensor([True, False]), torch.tensor([True, True]))
        expect.true(
            isinstance(sure, torch.Tensor) and not sure.is_meta and sure.tolist() == [True, False],
            observed="the masks [True, False] and [True, True] are combined wrongly",
            expected="[True, False]",
        )
        found = student.combine_masks(*masks)
        expect.true(found is None, observed="something else than None", expected="None")

    @pytest.mark.fresh
    def test_a_new_draw(self, student, reference, probe, expect):
        """Lengths and masks drawn for this submission give the right masks."""
        lengths = 1 + probe.rand(L - 1).argsort()[:B]  # no two alike, and nobody without a word
        expect.matches(student.padding_mask, reference.padding_mask, lengths, L)
        masks = probe.mask(B, 1, S, L, keep=0.8), None, probe.mask(S, L, keep=0.8)
        expect.matches(student.combine_masks, reference.combine_masks, *masks)


class TestDevice:
    def test_device_of_the_lengths(self, student, reference, expect):
        """The mask is made on the device of the lengths."""
        lengths = torch.tensor([4, 1, 3])
        expect.matches(student.padding_mask, reference.padding_mask, lengths, L)
        mask = student.padding_mask(lengths.to("meta"), L)
        expect.shape(mask, (B, 1, 1, L), what="mask")
        expect.true(mask.is_meta, observed=f"a mask on {mask.device}", expected="device meta")


class TestState:
    def test_lengths_are_not_modified(self, student, expect):
        """The lengths are the same after the call as before it."""
        expect.unchanged(student.padding_mask, torch.tensor([3, 1, 4]), L)

    def test_masks_are_not_modified(self, student, probe, expect):
        """All masks are the same after the call as before it."""
        masks = [probe.mask(B, 1, S, L) for _ in range(3)]
        expect.unchanged(student.combine_masks, *masks)
