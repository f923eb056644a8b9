"""a4.rollout, public criteria: shapes, and values without anything discarded."""

import pytest
import torch

B, H, T = 2, 3, 7


def draw(probe, depth=3, batch=B, heads=H, tokens=T, dtype=torch.float64):
    """Return weights of each layer, whose rows add up to 1."""
    scores = [2 * probe.randn(batch, heads, tokens, tokens) for _ in range(depth)]
    return [layer.softmax(dim=-1).to(dtype) for layer in scores]


class TestShapes:
    @pytest.mark.parametrize(
        ("depth", "batch", "heads", "tokens"),
        [(3, B, H, T), (1, 1, 1, 1), (2, 5, 4, 4)],
        ids=["usual", "one-of-each", "square"],
    )
    def test_rollout(self, student, probe, expect, depth, batch, heads, tokens):
        """A list of (B, H, T, T) becomes (B, T, T)."""
        rollout = student.attention_rollout(draw(probe, depth, batch, heads, tokens))
        expect.shape(rollout, (batch, tokens, tokens), what="rollout")

    @pytest.mark.parametrize("grid", [(2, 3), (3, 2), (1, 6)])
    def test_picture(self, student, probe, expect, grid):
        """(B, 1 + N, 1 + N) becomes (B, h, w)."""
        picture = student.rollout_to_patches(probe.rand(B, T, T), grid)
        expect.shape(picture, (B, *grid), what="picture")

    @pytest.mark.parametrize("name", ["median", "sum"])
    def test_unknown_fusion(self, student, probe, expect, name):
        """Any head_fusion but mean, max and min is a ValueError."""
        arguments = (student.attention_rollout, draw(probe))
        expect.raises(ValueError, *arguments, head_fusion=name)

    def test_non_contiguous_weights(self, student, probe, expect):
        """Weights that are a transposed view are as good as others."""
        weights = [layer.permute(2, 3, 0, 1) for layer in draw(probe, batch=T, heads=T, tokens=4)]
        weights += [layer.transpose(2, 3) for layer in draw(probe, batch=4, heads=4)]
        weights += [layer.transpose(0, 1) for layer in draw(probe, batch=4, heads=4)]
        expect.shape(student.attention_rollout(weights), (4, T, T), what="rollout")
        picture = student.rollout_to_patches(probe.rand(T, T, B).permute(2, 1, 0), (2, 3))
        expect.shape(picture, (B, 2, 3), what="picture")


class TestOutputs:
    def test_by_hand(self, student, expect):
        """A case to reckon up by hand: two layers, three tokens, two heads."""
        first = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.0, 0.5], [0.0, 0.0, 1.0]])
        second = torch.tensor([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        third = torch.tensor([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
        weights = [torch.stack([first, first])[None], torch.stack([second, third])[None]]
        wanted = torch.tensor([[[0.5625, 0.125, 0.3125], [0.25, 0.5, 0.25], [0.25, 0.0, 0.75]]])
        rollout = student.attention_rollout(weights)
        expect.floats(rollout, (1, 3, 3), what="rollout")
        expect.close(rollout, wanted, what="rollout", atol=1e-6)

    @pytest.mark.parametrize("head_fusion", ["mean", "max", "min"])
    def test_values(self, student, reference, probe, expect, head_fusion):
        """Heads are fused as head_fusion says."""
        weights = draw(probe)
        ours, theirs = student.attention_rollout, reference.attention_rollout
        expect.matches(ours, theirs, weights, head_fusion=head_fusion)

    def test_mean_is_what_is_usual(self, student, reference, probe, expect):
        """Without a head_fusion the heads are averaged."""
        weights = draw(probe, depth=2)
        expect.matches(student.attention_rollout, reference.attention_rollout, weights)

    @pytest.mark.parametrize("grid", [(2, 3), (3, 2), (1, 6)])
    def test_row_of_the_class_token(self, student, reference, probe, expect, grid):
        """The picture is the row of CLS, without CLS, row by row."""
        rollout = probe.rand(B, T, T)
        expect.matches(student.rollout_to_patches, reference.rollout_to_patches, rollout, grid)
