"""a5.online, public criteria: shapes and values without a mask."""

import pytest

B, H, S, L, DH, DV = 2, 3, 4, 7, 6, 5


class TestShapes:
    @pytest.mark.parametrize(
        ("leading", "widths"), [((B, S), (3, 1, 4)), ((), (1,))], ids=["usual", "one-of-everything"]
    )
    def test_shares(self, student, probe, expect, leading, widths):
        """As many shares as there were scores in all chunks."""
        chunks = [probe.randn(*leading, width) for width in widths]
        expect.shape(student.online_softmax(chunks), (*leading, sum(widths)), what="shares")

    @pytest.mark.parametrize(
        ("leading", "block_size"),
        [((B,), 3), ((), 7), ((B, H), 2)],
        ids=["batch", "no-batch", "batch-and-heads"],
    )
    def test_output(self, student, probe, expect, leading, block_size):
        """The output is (…, S, Dv), for any leading axes."""
        query, key = probe.randn(*leading, S, DH), probe.randn(*leading, L, DH)
        value = probe.randn(*leading, L, DV)
        output = student.chunked_attention(query, key, value, block_size)
        expect.shape(output, (*leading, S, DV), what="output")

    def test_one_of_everything(self, student, probe, expect):
        """A single query and a single key in a block of one keep all their axes."""
        query, key, value = (probe.randn(1, 1, 1) for _ in range(3))
        expect.shape(student.chunked_attention(query, key, value, 1), (1, 1, 1), what="output")

    def test_non_contiguous_inputs(self, student, probe, expect):
        """Transposed views are as good as contiguous tensors."""
        query = probe.randn(B, DH, S).transpose(1, 2)
        key = probe.randn(L, B, DH).transpose(0, 1)
        value = probe.randn(DV, L, B).permute(2, 1, 0)
        expect.shape(student.chunked_attention(query, key, value, 3), (B, S, DV), what="output")


class TestOutputs:
    @pytest.mark.parametrize("widths", [(3, 1, 4), (8,), (1, 1, 1)], ids=str)
    def test_shares(self, student, reference, probe, expect, widths):
        """The shares are those of a softmax over all chunks together."""
        chunks = [probe.randn(B, S, width, scale=2.0) for width in widths]
        expect.matches(student.online_softmax, reference.online_softmax, chunks)

    @pytest.mark.parametrize("block_size", [1, 3, 7, 10])
    def test_output(self, student, reference, probe, expect, block_size):
        """The output is softmax(Q Kᵀ / √Dh) V, whether or not the block size divides L."""
        expect.matches(
            student.chunked_attention,
            reference.chunked_attention,
            probe.randn(B, S, DH),
            probe.randn(B, L, DH),
            probe.randn(B, L, DV),
            block_size,
        )

    def test_all_widths_alike(self, student, reference, probe, expect):
        """The output is right when every axis has the same length."""
        inputs = [probe.randn(4, 4, 4, 4) for _ in range(3)]
        expect.matches(student.chunked_attention, reference.chunked_attention, *inputs, 2)

    def test_large_scores(self, student, reference, probe, expect):
        """The output is right when one key wins almost all the weight."""
        expect.matches(
            student.chunked_attention,
            reference.chunked_attention,
            probe.randn(B, H, S, DH, scale=5.0),
            probe.randn(B, H, L, DH, scale=5.0),
            probe.randn(B, H, L, DV),
            3,
        )
