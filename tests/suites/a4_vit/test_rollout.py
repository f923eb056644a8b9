"""a4.rollout, hidden criteria: layers, discard, numerics, state."""

import pytest
import torch

B, H, T = 2, 3, 6


def draw(probe, depth=3, batch=B, heads=H, tokens=T, dtype=torch.float64):
    """Return weights of each layer, whose rows add up to 1."""
    scores = [2 * probe.randn(batch, heads, tokens, tokens) for _ in range(depth)]
    return [layer.softmax(dim=-1).to(dtype) for layer in scores]


def roll_out(student, expect, weights, **options):
    """Call the student's function; the rollout has the right shape and no NaN and depends on the
    weights, or the check ends."""
    batch, _, tokens, _ = weights[0].shape
    rollout = student.attention_rollout(weights, **options)
    expect.floats(rollout, (batch, tokens, tokens), what="rollout")
    expect.finite(rollout, what="rollout")
    turned = student.attention_rollout([layer.flip(-1) for layer in weights], **options)
    expect.floats(turned, (batch, tokens, tokens), what="rollout of other weights")
    expect.true(
        not torch.equal(turned, rollout),
        observed="other weights give the same rollout",
        expected="a rollout that depends on the weights",
    )
    return rollout


class TestLayers:
    @pytest.mark.parametrize("head_fusion", ["mean", "max", "min"])
    @pytest.mark.parametrize("ratio", [0.0, 0.5])
    def test_rows_add_up(self, student, probe, expect, head_fusion, ratio):
        """Every row of the rollout adds up to 1, whatever is fused and discarded."""
        options = {"head_fusion": head_fusion, "discard_ratio": ratio}
        rollout = roll_out(student, expect, draw(probe), **options)
        sums = rollout.sum(dim=-1)
        expect.close(sums, torch.ones(B, T), what="sum of a row", atol=1e-5)
        expect.true(
            rollout.min().item() >= 0, observed="negative numbers", expected="numbers from 0 to 1"
        )

    def test_layers_that_move_nothing(self, student, probe, expect):
        """A layer in which every token looks at itself alone changes nothing, wherever it is."""
        weights = draw(probe, depth=2)
        identity = torch.eye(T, dtype=torch.float64).expand(B, H, T, T)
        rollout = roll_out(student, expect, weights)
        for place in range(3):
            longer = [*weights[:place], identity, *weights[place:]]
            found = roll_out(student.apart, expect, longer)
            expect.close(found, rollout, what="rollout with such a layer", atol=1e-6)

    def test_first_layer_comes_first(self, student, probe, expect):
        """What a token gathers in the first layer can be passed on in the second, and not the
        other way round."""
        gather, hand_on = (torch.eye(T, dtype=torch.float64) for _ in range(2))
        gather[2], hand_on[4] = torch.eye(T)[5].double(), torch.eye(T)[2].double()  # 5 → 2 → 4
        weights = [one.expand(B, H, T, T) for one in (gather, hand_on)]
        there = roll_out(student, expect, weights)
        back = roll_out(student, expect, weights[::-1])
        for name, found, wanted in (("first", there, 0.25), ("last", back, 0.0)):
            value = found[:, 4, 5]
            expect.close(
                value,
                torch.full((B,), wanted),
                what=f"what token 4 has of token 5, which token 2 reads in the {name} layer",
                atol=1e-6,
            )

    def test_samples_stay_apart(self, student, probe, expect):
        """No sample of a batch changes the rollout of another."""
        weights = draw(probe, batch=3)
        together = roll_out(student, expect, weights, discard_ratio=0.4)
        for number in range(3):
            one = [layer[number : number + 1] for layer in weights]
            alone = roll_out(student.apart, expect, one, discard_ratio=0.4)
            expect.close(alone[0], together[number], what="rollout of one sample", atol=1e-6)

    @pytest.mark.fresh
    def test_a_new_draw(self, student, reference, probe, expect):
        """On weights drawn for this submission, the rollout is right, and so is its picture."""
        weights = draw(probe, tokens=7)
        expect.matches(student.attention_rollout, reference.attention_rollout, weights)
        rollout = reference.attention_rollout(weights)
        expect.matches(student.rollout_to_patches, reference.rollout_to_patches, rollout, (3, 2))


class TestDiscard:
    @pytest.mark.parametrize("ratio", [0.1, 0.5, 0.9])
    def test_small_entries_go(self, student, reference, probe, expect, ratio):
        """The floor(ratio · T · T) smallest entries of each sample are 0, but those of CLS."""
        weights = draw(probe, depth=2, tokens=5)
        ours, theirs = student.attention_rollout, reference.attention_rollout
        expect.matches(ours, theirs, weights, discard_ratio=ratio)

    @pytest.mark.parametrize("ratio", [0.3, 0.8])
    def test_class_token_is_spared(self, student, reference, probe, expect, ratio):
        """What stands in the column of CLS stays, however small it is."""
        scores = 2 * probe.randn(B, H, 5, 5)
        scores[..., 0] -= 6
        weights = [scores.softmax(dim=-1)]
        ours, theirs = student.attention_rollout, reference.attention_rollout
        expect.matches(ours, theirs, weights, discard_ratio=ratio)

    def test_heads_are_fused_first(self, student, reference, probe, expect):
        """What is small is what is small after the heads are fused."""
        weights = draw(probe, depth=2, tokens=5)
        ours, theirs = student.attention_rollout, reference.attention_rollout
        expect.matches(ours, theirs, weights, head_fusion="max", discard_ratio=0.5)


class TestNumerics:
    @pytest.mark.parametrize(
        "dtype",
        [torch.float32, torch.float16, torch.bfloat16],
        ids=["float32", "float16", "bfloat16"],
    )
    def test_dtype_is_kept(self, student, probe, expect, dtype):
        """The rollout has the dtype of the weights, and so has the picture."""
        rollout = roll_out(student, expect, draw(probe, tokens=7, dtype=dtype))
        expect.dtype(rollout, dtype, what="rollout")
        expect.close(rollout.sum(dim=-1), torch.ones(B, 7), what="sum of a row", atol=5e-2)
        picture = student.rollout_to_patches(rollout, (2, 3))
        expect.floats(picture, (B, 2, 3), what="picture")
        expect.dtype(picture, dtype, what="picture")


class TestState:
    @pytest.mark.parametrize("heads", [1, H], ids=["one-head", "several"])
    def test_weights_are_not_modified(self, student, probe, expect, heads):
        """The weights of every layer are the same after the call as before it."""
        weights = draw(probe, heads=heads)
        expect.unchanged(student.attention_rollout, weights, "max", 0.5)

    def test_rollout_is_not_modified(self, student, probe, expect):
        """The rollout is the same after rollout_to_patches as before it."""
        expect.unchanged(student.rollout_to_patches, probe.rand(B, 7, 7), (2, 3))

    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect):
        """A call gives the same after others, one of them with other sizes and layers."""
        calls = [draw(probe), draw(probe, depth=2, batch=1, heads=2, tokens=4), draw(probe)]
        expect.starts_anew(
            student.attention_rollout, *(expect.call(weights, "mean", 0.3) for weights in calls)
        )
