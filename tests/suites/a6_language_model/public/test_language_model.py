"""a6.language_model, public criteria: shapes and values."""

import pytest
import torch

B, H, G, T, D, VOCABULARY, WINDOW = 3, 4, 2, 9, 24, 11, 5


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "first", "then"), [(B, 7, 2), (1, 1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_outputs(self, student, probe, expect, batch, first, then):
        """There is an output for each token that comes in, and for no other."""
        attention = student.TextAttention(D, H, G, WINDOW)
        for take_in, count in ((attention.prefill, first), (attention.step, then)):
            output = take_in(probe.randn(batch, count, D, dtype=torch.float32))
            expect.shape(output, (batch, count, D), what="output")

    @pytest.mark.parametrize(
        ("batch", "first", "then"), [(B, 7, 2), (1, 1, 1)], ids=["usual", "one-of-everything"]
    )
    def test_logits(self, student, probe, expect, batch, first, then):
        """There is a score for each token of the vocabulary at each place."""
        model = student.LanguageModel(VOCABULARY, D, 2, H, G, WINDOW)
        for take_in, count in ((model, first), (model.prefill, first), (model.step, then)):
            logits = take_in(probe.randint(0, VOCABULARY, (batch, count)))
            expect.shape(logits, (batch, count, VOCABULARY), what="logits")

    @pytest.mark.parametrize(
        ("sizes", "both"), [((10, 3, 1), ("10", "3")), ((24, 4, 3), ("4", "3"))], ids=str
    )
    def test_numbers_that_do_not_go_together(self, student, expect, sizes, both):
        """If heads do not divide the width, or groups the heads, a ValueError names both."""
        expect.raises(ValueError, student.TextAttention, *sizes, WINDOW, mentions=both)

    def test_non_contiguous_tokens(self, student, probe, expect):
        """Transposed views are as good as contiguous tensors."""
        x = probe.randn(T, B, D, dtype=torch.float32).transpose(0, 1)
        attention = student.TextAttention(D, H, G, WINDOW)
        expect.shape(attention.prefill(x), (B, T, D), what="output")


class TestOutputs:
    @pytest.mark.parametrize(
        ("heads", "groups", "window"),
        [(H, G, WINDOW), (H, 1, 2), (H, H, T + 3)],
        ids=["usual", "one-key-head", "window-longer-than-the-text"],
    )
    def test_beginning(self, probe, expect, heads, groups, window):
        """With the same weights, `prefill` gives the reference's outputs."""
        pair = probe.pair("TextAttention", D, heads, groups, window)
        expect.matches(pair.student.prefill, pair.reference.prefill, probe.randn(B, T, D))

    def test_all_lengths_alike(self, probe, expect):
        """The output is right when every axis has the same length."""
        pair = probe.pair("TextAttention", 4, 2, 2, 4)
        expect.matches(pair.student.prefill, pair.reference.prefill, probe.randn(4, 4, 4))

    @pytest.mark.parametrize("chunks", [(4, 1), (3, 2), (7, 1, 1), (2, 6, 1)], ids=str)
    def test_continuation(self, probe, expect, chunks):
        """With the same weights, the last `step` gives the reference's outputs."""
        pair = probe.pair("TextAttention", D, H, G, WINDOW)
        first, *others = probe.randn(B, sum(chunks), D).split(chunks, dim=1)
        found = []
        for attention in (pair.student, pair.reference):
            with torch.no_grad():
                attention.prefill(first)
                found.append([attention.step(chunk) for chunk in others])
        observed, expected = found
        expect.floats(observed[-1], expected[-1].shape, what="output of the last step")
        expect.close(observed[-1], expected[-1], what="output of the last step", atol=1e-5)

    def test_logits(self, probe, expect):
        """With the same weights, the logits are the reference's."""
        pair = probe.pair("LanguageModel", VOCABULARY, D, 2, H, G, WINDOW)
        numbers = probe.randint(0, VOCABULARY, (B, T))
        expect.matches(pair.student, pair.reference, numbers)

    def test_logits_of_steps(self, probe, expect):
        """With the same weights, logits after a step are the reference's."""
        pair = probe.pair("LanguageModel", VOCABULARY, D, 2, H, G, WINDOW)
        first, *others = probe.randint(0, VOCABULARY, (B, T)).split((6, 2, 1), dim=1)
        found = []
        for model in (pair.student, pair.reference):
            with torch.no_grad():
                model.prefill(first)
                found.append([model.step(chunk) for chunk in others])
        observed, expected = found
        expect.floats(observed[-1], expected[-1].shape, what="logits of the last step")
        expect.close(observed[-1], expected[-1], what="logits of the last step", atol=1e-5)
