"""a5.cache, public criteria: shapes and values."""

import pytest
import torch

B, H, T, D, DH, DV = 2, 3, 7, 12, 6, 5


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "first", "then"), [(B, 4, 3), (1, 1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_outputs(self, student, probe, expect, batch, first, then):
        """There is an output for each token that comes in, and for no other."""
        attention = student.KVCacheAttention(D, H)
        for take_in, count in ((attention.prefill, first), (attention.step, then)):
            output = take_in(probe.randn(batch, count, D, dtype=torch.float32))
            expect.shape(output, (batch, count, D), what="output")

    def test_heads_that_do_not_divide_the_width(self, student, expect):
        """If num_heads does not divide emb_size, a ValueError names both numbers."""
        expect.raises(ValueError, student.KVCacheAttention, 10, 3, mentions=("10", "3"))

    @pytest.mark.parametrize("leading", [(B,), (), (B, H)], ids=["batch", "no-batch", "heads"])
    def test_window(self, student, probe, expect, leading):
        """The output is (…, T, Dv), for any leading axes, and for transposed views too."""
        query, key = (probe.randn(*leading, DH, T).transpose(-2, -1) for _ in range(2))
        value = probe.randn(*leading, T, DV)
        output = student.sliding_window_attention(query, key, value, 3)
        expect.shape(output, (*leading, T, DV), what="output")

    def test_window_over_one_token(self, student, probe, expect):
        """A single token keeps all its axes."""
        inputs = [probe.randn(1, 1, 1) for _ in range(3)]
        output = student.sliding_window_attention(*inputs, 1)
        expect.shape(output, (1, 1, 1), what="output")


class TestOutputs:
    @pytest.mark.parametrize(
        ("batch", "heads", "width"), [(B, H, D), (4, 4, 4)], ids=["all-differ", "alike"]
    )
    def test_beginning(self, probe, expect, batch, heads, width):
        """With the same weights, `prefill` gives the reference's outputs."""
        pair = probe.pair("KVCacheAttention", width, heads)
        x = probe.randn(batch, 4, width)
        expect.matches(pair.student.prefill, pair.reference.prefill, x)

    @pytest.mark.parametrize("chunks", [(4, 1), (4, 2), (3, 1, 1), (4, 2, 1)], ids=str)
    def test_continuation(self, probe, expect, chunks):
        """With the same weights, the last `step` gives the reference's outputs."""
        pair = probe.pair("KVCacheAttention", D, H)
        first, *others = probe.randn(B, sum(chunks), D).split(chunks, dim=1)
        found = []
        for attention in (pair.student, pair.reference):
            with torch.no_grad():
                attention.prefill(first)
                found.append([attention.step(chunk) for chunk in others])
        observed, expected = found
        expect.floats(observed[-1], expected[-1].shape, what="output of the last step")
        expect.close(observed[-1], expected[-1], what="output of the last step", atol=1e-5)

    @pytest.mark.parametrize("window", [3, T, T + 4])
    def test_window(self, student, reference, probe, expect, window):
        """The output is that of attention to the last `window` tokens."""
        expect.matches(
            student.sliding_window_attention,
            reference.sliding_window_attention,
            probe.randn(B, T, DH),
            probe.randn(B, T, DH),
            probe.randn(B, T, DV),
            window,
        )

    def test_shortest_windows(self, student, reference, probe, expect):
        """With a window of 2 a token sees one other, and with a window of 1 only itself."""
        inputs = probe.randn(B, T, DH), probe.randn(B, T, DH), probe.randn(B, T, DV)
        for window in (2, 1):
            expect.matches(
                student.sliding_window_attention,
                reference.sliding_window_attention,
                *inputs,
                window,
            )

    def test_window_with_heads(self, student, reference, probe, expect):
        """Every sample and every head is attended to on its own, and all axes may be alike."""
        inputs = [probe.randn(4, 4, 4, 4) for _ in range(3)]
        expect.matches(
            student.sliding_window_attention, reference.sliding_window_attention, *inputs, 2
        )
