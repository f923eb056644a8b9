"""a2.causal_mask, hidden criteria: offset and device."""

import pytest

DEVICE_IGNORED = (
    "causal_mask.device_ignored",
    "The device is ignored: hand it to whatever makes a tensor.",
)


class TestOffset:
    @pytest.mark.parametrize(("T", "offset"), [(3, 4), (4, 1), (1, 3000), (5, 5)])
    def test_keys_of_the_past(self, student, reference, expect, T, offset):
        """With an offset, each query may also see all tokens that were there before."""
        expect.matches(student.causal_mask, reference.causal_mask, T, offset=offset)

    @pytest.mark.fresh
    def test_a_new_draw(self, student, reference, probe, expect):
        """Lengths drawn for this submission give the right mask."""
        T, offset = probe.randint(2, 9, (2,)).tolist()
        expect.matches(student.causal_mask, reference.causal_mask, T, offset)


class TestDevice:
    def test_another_device(self, student, reference, expect):
        """The mask is made on the device that was asked for."""
        expect.matches(student.causal_mask, reference.causal_mask, 3)
        mask = student.causal_mask(3, 2, device="meta")
        expect.shape(mask, (3, 5), what="mask")
        expect.true(
            mask.is_meta,
            observed=f"a mask on {mask.device}",
            expected="device meta",
            why=lambda: DEVICE_IGNORED,
        )
