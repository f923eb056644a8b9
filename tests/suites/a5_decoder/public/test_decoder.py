"""a5.decoder, public criteria: shapes and values."""

import pytest
import torch

B, H, T, L, D, VOCABULARY = 2, 3, 5, 7, 12, 11


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens", "others"),
        [(B, T, L), (B, L, T), (1, 1, 1)],
        ids=["usual", "longer-than-memory", "one-of-everything"],
    )
    def test_block(self, student, probe, expect, batch, tokens, others):
        """(B, T, D) stays (B, T, D), however long the memory is."""
        x, memory = (probe.randn(batch, count, D) for count in (tokens, others))
        output = student.DecoderBlock(D, H)(x.float(), memory.float())
        expect.shape(output, (batch, tokens, D), what="output")

    @pytest.mark.parametrize(
        ("batch", "tokens", "depth"), [(B, T, 2), (1, 1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_logits(self, student, probe, expect, batch, tokens, depth):
        """There is a score for each token of the vocabulary at each place."""
        numbers = probe.randint(0, VOCABULARY, (batch, tokens))
        memory = probe.randn(batch, L, D, dtype=torch.float32)
        logits = student.Decoder(depth, D, H, VOCABULARY)(numbers, memory)
        expect.shape(logits, (batch, tokens, VOCABULARY), what="logits")

    def test_long_text(self, student, probe, expect):
        """A text may have any length: no table of places ends."""
        tokens = 2100
        numbers = probe.randint(0, VOCABULARY, (1, tokens))
        memory = probe.randn(1, L, D, dtype=torch.float32)
        logits = student.Decoder(1, D, 1, VOCABULARY)(numbers, memory)
        expect.shape(logits, (1, tokens, VOCABULARY), what="logits")

    def test_non_contiguous_inputs(self, student, probe, expect):
        """Transposed views are as good as contiguous tensors."""
        x = probe.randn(B, D, T, dtype=torch.float32).transpose(1, 2)
        memory = probe.randn(L, B, D, dtype=torch.float32).transpose(0, 1)
        expect.shape(student.DecoderBlock(D, H)(x, memory), (B, T, D), what="output")


class TestOutputs:
    @pytest.mark.parametrize("masked", [False, True], ids=["whole-memory", "masked-memory"])
    def test_block(self, probe, expect, masked):
        """With the same weights, the output of a block is the reference's."""
        pair = probe.pair("DecoderBlock", D, H, expansion=2)
        mask = {"memory_mask": probe.mask(B, L)} if masked else {}
        x, memory = probe.randn(B, T, D), probe.randn(B, L, D)
        expect.matches(pair.student, pair.reference, x, memory, **mask)

    def test_all_lengths_alike(self, probe, expect):
        """The output is right when every axis has the same length."""
        pair = probe.pair("DecoderBlock", 4, 4)
        x, memory = probe.randn(4, 4, 4), probe.randn(4, 4, 4)
        expect.matches(pair.student, pair.reference, x, memory)

    @pytest.mark.parametrize("masked", [False, True], ids=["whole-memory", "masked-memory"])
    def test_logits(self, probe, expect, masked):
        """With the same weights, the logits are the reference's."""
        pair = probe.pair("Decoder", 2, D, H, VOCABULARY)
        mask = {"memory_mask": probe.mask(B, L)} if masked else {}
        numbers, memory = probe.randint(0, VOCABULARY, (B, T)), probe.randn(B, L, D)
        expect.matches(pair.student, pair.reference, numbers, memory, **mask)
