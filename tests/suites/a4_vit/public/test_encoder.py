"""a4.encoder, public criteria: shapes and values of the encoder and of the head."""

import pytest
import torch
from torch.nn import functional as F

B, T, D, H, CLASSES = 2, 5, 12, 3, 7
POOLS = pytest.mark.parametrize("pool", ["cls", "mean"])


def name_other_pooling(expect, pair, x):
    """Say so if the head averages every token, or does that and normalises the average, as course
    notebook 003 does."""
    own = [p.detach() for _, p in pair.student.named_parameters() if p.shape == (D,)]
    logits, everything = pair.student(x), x.mean(dim=1)
    linear = pair.reference.module.linear
    if torch.is_tensor(logits) and logits.device == x.device and logits.shape == (B, CLASSES):
        if torch.allclose(logits.double(), linear(everything), atol=1e-4):
            expect.notes.append("the average is of every token, the class token too")
        elif len(own) == 2 and torch.allclose(
            logits.double(), linear(F.layer_norm(everything, (D,), *own)), atol=1e-4
        ):
            expect.notes.append(
                "every token is averaged, and then normalised, as course notebook 003 does: here "
                "the encoder normalises each token, and the average is of the patches"
            )


class TestShapes:
    @pytest.mark.parametrize(
        ("batch", "tokens", "depth"),
        [(B, T, 3), (1, 1, 1)],
        ids=["usual", "one-of-everything"],
    )
    def test_tokens(self, student, probe, expect, batch, tokens, depth):
        """The encoder leaves (B, T, D) as it is."""
        x = probe.randn(batch, tokens, D, dtype=torch.float32)
        expect.shape(student.Encoder(depth, D, H)(x), (batch, tokens, D), what="output")

    @POOLS
    @pytest.mark.parametrize(
        ("batch", "tokens"), [(B, T), (1, 2)], ids=["usual", "one-image-of-one-patch"]
    )
    def test_logits(self, student, probe, expect, pool, batch, tokens):
        """The head makes (B, num_classes) of (B, 1 + N, D)."""
        x = probe.randn(batch, tokens, D, dtype=torch.float32)
        logits = student.ClassificationHead(D, CLASSES, pool=pool)(x)
        expect.shape(logits, (batch, CLASSES), what="logits")

    def test_non_contiguous_tokens(self, student, probe, expect):
        """A transposed view is as good as a contiguous tensor."""
        x = probe.randn(T, B, D, dtype=torch.float32).transpose(0, 1)
        expect.shape(student.Encoder(1, D, H)(x), (B, T, D), what="output")
        for pool in ("cls", "mean"):
            logits = student.ClassificationHead(D, CLASSES, pool=pool)(x)
            expect.shape(logits, (B, CLASSES), what="logits")


class TestOutputs:
    @pytest.mark.parametrize(
        ("depth", "changes"),
        [(2, {}), (1, {"expansion": 2}), (3, {"final_norm": False})],
        ids=["two-blocks", "one-block", "three-without-norm"],
    )
    def test_encoder(self, probe, expect, depth, changes):
        """With the same weights, the encoder's output is the reference's."""
        pair = probe.pair("Encoder", depth, D, H, **changes)
        expect.matches(pair.student, pair.reference, probe.randn(B, T, D))

    def test_all_lengths_alike(self, probe, expect):
        """The encoder's output is right when every axis has the same length."""
        pair = probe.pair("Encoder", 1, 4, 4)
        expect.matches(pair.student, pair.reference, probe.randn(4, 4, 4))

    @POOLS
    def test_head(self, probe, expect, pool):
        """With the same weights, the logits are the reference's."""
        pair = probe.pair("ClassificationHead", D, CLASSES, pool=pool)
        x = probe.randn(B, T, D)
        if pool == "mean":
            name_other_pooling(expect, pair, x)
        expect.matches(pair.student, pair.reference, x)
