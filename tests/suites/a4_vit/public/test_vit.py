"""a4.vit, public criteria: shapes and values of small models."""

import pytest
import torch

SMALL = {
    "in_channels": 3,
    "patch_size": 4,
    "emb_size": 24,
    "img_size": 12,
    "depth": 2,
    "num_heads": 3,
    "num_classes": 5,
}


def draw(probe, batch=2, channels=3, side=12, dtype=torch.float64, scale=1.0):
    return probe.randn(batch, channels, side, side, dtype=dtype, scale=scale)


class TestShapes:
    @pytest.mark.parametrize("pool", ["cls", "mean"])
    def test_logits(self, student, probe, expect, pool):
        """(B, C, H, W) becomes (B, num_classes), for one image and for five."""
        vit = student.ViT(**SMALL, pool=pool)
        for batch in (1, 5):
            logits = vit(draw(probe, batch=batch, dtype=torch.float32))
            expect.shape(logits, (batch, 5), what="logits")

    def test_other_sizes(self, student, probe, expect):
        """Channels, patches, width, depth and heads are what the arguments say."""
        vit = student.ViT(
            in_channels=1,
            patch_size=2,
            emb_size=10,
            img_size=4,
            depth=1,
            num_heads=5,
            num_classes=7,
        )
        logits = vit(draw(probe, channels=1, side=4, dtype=torch.float32))
        expect.shape(logits, (2, 7), what="logits")

    def test_non_contiguous_images(self, student, probe, expect):
        """Images with their channels last in memory are as good as others."""
        images = probe.randn(2, 12, 12, 3, dtype=torch.float32).permute(0, 3, 1, 2)
        expect.shape(student.ViT(**SMALL)(images), (2, 5), what="logits")


class TestOutputs:
    @pytest.mark.parametrize(
        "changes",
        [{}, {"pool": "mean"}, {"depth": 1, "num_heads": 1}, {"depth": 3, "num_heads": 6}],
        ids=["class-token", "mean", "one-block-one-head", "deeper"],
    )
    def test_same_weights_same_logits(self, probe, expect, changes):
        """With the same weights, the logits are the reference's."""
        pair = probe.pair("ViT", **{**SMALL, **changes})
        expect.matches(pair.student, pair.reference, draw(probe))
