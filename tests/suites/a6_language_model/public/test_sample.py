"""a6.sample, public criteria: shapes and values."""

import pytest
import torch

B, T, V = 2, 3, 7


class TestShapes:
    @pytest.mark.parametrize(
        "leading",
        [(B,), (), (B, T), (1,), (B, 1)],
        ids=["batch", "one-row", "tokens", "batch-of-one", "one-token"],
    )
    def test_both(self, student, probe, expect, leading):
        """The probabilities are (…, V), and the tokens (…) without the last axis."""
        logits = probe.randn(*leading, V)
        shares = student.sampling_probabilities(logits, 0.7, 3, 0.9)
        expect.shape(shares, (*leading, V), what="probabilities")
        tokens = student.sample(logits, 0.7, 3, 0.9)
        expect.shape(tokens, leading, what="tokens")
        expect.dtype(tokens, torch.int64, what="tokens")

    @pytest.mark.parametrize(
        ("options", "number"),
        [
            ({"temperature": -2.5}, "2.5"),
            ({"temperature": -0.25}, "0.25"),
            ({"top_k": 0}, "0"),
            ({"top_k": -3}, "3"),
            ({"top_p": 0.0}, "0"),
            ({"top_p": 1.25}, "1.25"),
        ],
        ids=["cold", "cool", "none-of-all", "fewer-than-none", "no-share", "more-than-all"],
    )
    def test_errors(self, student, probe, expect, options, number):
        """A number that is out of range is a ValueError that names it."""
        logits = probe.randn(B, V)
        expect.raises(
            ValueError, student.sampling_probabilities, logits, mentions=(number,), **options
        )


class TestOutputs:
    @pytest.mark.parametrize("temperature", [1.0, 0.5, 2.5])
    def test_temperature(self, student, reference, probe, expect, temperature):
        """The logits are divided by the temperature, before the softmax."""
        logits = probe.randn(B, V)
        expect.matches(
            student.sampling_probabilities, reference.sampling_probabilities, logits, temperature
        )

    def test_greedy(self, student, reference, probe, expect):
        """A temperature of 0 gives everything to the largest logit."""
        logits = probe.randn(B, T, V)
        expect.matches(
            student.sampling_probabilities, reference.sampling_probabilities, logits, 0.0
        )

    @pytest.mark.parametrize("top_k", [1, 3, V, V + 40])
    def test_top_k(self, student, reference, probe, expect, top_k):
        """The k most probable tokens stay, and all of them if k is larger than V."""
        logits = probe.randn(B, T, V)
        expect.matches(
            student.sampling_probabilities, reference.sampling_probabilities, logits, top_k=top_k
        )

    @pytest.mark.parametrize("top_p", [0.3, 0.6, 0.9, 1.0])
    def test_top_p(self, student, reference, probe, expect, top_p):
        """As few tokens stay as add up to p, the one that crosses the line included."""
        logits = probe.randn(4, T, V)
        expect.matches(
            student.sampling_probabilities, reference.sampling_probabilities, logits, top_p=top_p
        )

    def test_all_three(self, student, reference, probe, expect):
        """First the temperature, then top_k, then top_p on what is left."""
        logits = probe.randn(16, V, scale=1.5)
        expect.matches(
            student.sampling_probabilities,
            reference.sampling_probabilities,
            logits,
            temperature=1.8,
            top_k=4,
            top_p=0.75,
        )
