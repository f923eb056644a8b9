"""a4.vit, hidden criteria: images, learning, state, modes, numerics, gradients.

Except for the fresh check, a student's model is compared with itself. Full size exists only on
the meta device, where it has shapes and no memory.
"""

import pytest
import torch
from torch.nn import functional as F

from ..expectations import (
    expect_gradient,
    expect_no_dropout,
    expect_path_back,
    expect_same_again,
    expect_same_state,
)

PATCH, CLASSES, PATCHES = 4, 5, 9
SMALL = {
    "in_channels": 3,
    "patch_size": PATCH,
    "emb_size": 24,
    "img_size": 12,
    "depth": 2,
    "num_heads": 3,
    "num_classes": CLASSES,
}
NUMBERS_OF_SMALL = 24 * 49 + 24 + 10 * 24 + 2 * (2 * 48 + 24 * 96 + 96 + 96 * 49 + 24) + 48 + 125
VIT_B_16 = 86_567_656


def draw(probe, batch=2, dtype=torch.float64):
    return probe.randn(batch, 3, 12, 12, dtype=dtype)


def classify(expect, vit, images):
    """Call the student's model; the logits have the right shape and no NaN, or the check ends."""
    logits = vit(images)
    expect.floats(logits, (len(images), CLASSES), what="logits")
    expect.finite(logits, what="logits")
    return logits


def expect_answer(expect, vit, images):
    """Return the logits of images. Other images give others, and the same again in a process that
    has not seen them, or the check ends: what does not come from the images proves nothing."""
    logits, other = classify(expect, vit, images), classify(expect, vit, -images)
    expect_same_again(
        expect, classify, vit, -images, answer=other, what="logits of the same images once more"
    )
    expect.true(
        bool((other - logits).abs().amax() > 1e-6),
        observed="the logits do not depend on the images",
        expected="other logits for other images",
    )
    return logits


def patch(number):
    """Return the index of one patch in a batch of images."""
    row, column = number // 3 * PATCH, number % 3 * PATCH
    return (..., slice(row, row + PATCH), slice(column, column + PATCH))


class TestImages:
    @pytest.mark.parametrize("pool", ["cls", "mean"])
    def test_every_patch_counts(self, probe, expect, pool):
        """Changing any one patch changes the logits."""
        vit = probe.module("ViT", **SMALL, pool=pool)
        images = draw(probe, batch=1).repeat(PATCHES + 1, 1, 1, 1)
        for number in range(PATCHES):
            images[number][patch(number)] = probe.randn(3, PATCH, PATCH)
        logits = expect_answer(expect, vit, images)
        moved = (logits[:-1] - logits[-1]).abs().amax(-1) > 1e-6
        expect.true(
            bool(moved.all()),
            observed=f"{int((~moved).sum())} of {PATCHES} patches change nothing",
            expected="logits that depend on every patch",
        )

    @pytest.mark.parametrize("pool", ["cls", "mean"])
    def test_order_of_patches_counts(self, probe, expect, pool):
        """Exchanging two patches changes the logits, as each has a position of its own."""
        vit = probe.module("ViT", **SMALL, pool=pool)
        images = draw(probe, batch=1).repeat(PATCHES, 1, 1, 1)
        for number in range(1, PATCHES):
            other = images[0][patch(number)]
            images[number][patch(number)] = images[0][patch(0)]
            images[number][patch(0)] = other
        logits = expect_answer(expect, vit, images)
        moved = (logits[1:] - logits[0]).abs().amax(-1) > 1e-6
        expect.true(
            bool(moved.all()),
            observed="a picture and its puzzle pieces give the same logits",
            expected="logits that depend on where a patch is",
        )

    def test_images_stay_apart(self, probe, expect):
        """No image of a batch changes the logits of another."""
        vit = probe.module("ViT", **SMALL)
        images = draw(probe, batch=3)
        together = classify(expect, vit, images)
        alone = torch.cat([classify(expect, vit.apart, image[None]) for image in images])
        expect.close(alone, together, what="logits", atol=1e-5)
        expect.true(
            bool(((together[1:] - together[0]).abs() > 1e-6).any()),
            observed="three different images get the same logits",
            expected="logits that depend on the image",
        )


class TestLearning:
    def test_eight_images_are_learned(self, student, probe, expect):
        """A few steps of training on eight images bring the loss well below guessing."""
        vit = student.ViT(**{**SMALL, "emb_size": 12, "img_size": 8, "depth": 1})
        images = probe.randn(8, 3, 8, 8, dtype=torch.float32)
        labels = torch.arange(8) % CLASSES
        optimiser = torch.optim.Adam(vit.parameters(), lr=0.02)
        losses = []
        for _ in range(12):
            loss = F.cross_entropy(classify(expect, vit, images), labels)
            expect_path_back(expect, loss, expected="logits that learn")
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        expect.true(
            losses[-1] < 0.6 * min(losses[0], 1.609),
            observed=f"the loss goes from {losses[0]:.2f} to {losses[-1]:.2f}",
            expected="a loss far below that of guessing",
        )


class TestState:
    def test_number_of_parameters(self, student, expect):
        """A small model has as many parameters as its layers need."""
        parameters = student.ViT(**SMALL).parameters()
        count = sum(parameter.numel() for parameter in parameters)
        expected = f"{NUMBERS_OF_SMALL} numbers"
        expect.true(count == NUMBERS_OF_SMALL, observed=f"{count} numbers", expected=expected)

    def test_full_size(self, student, expect):
        """With its default arguments it is ViT-B/16, with 86,567,656 parameters."""
        with torch.device("meta"):
            count = sum(parameter.numel() for parameter in student.ViT().parameters())
        expect.true(count == VIT_B_16, observed=f"{count:,} numbers", expected=f"{VIT_B_16:,}")

    @pytest.mark.parametrize("case", ["meta", "frozen", "frozen-last", "used-twice", "buffers"])
    def test_count_parameters(self, student, expect, case):
        """Every parameter counts once, trainable or not, and buffers do not count."""
        with torch.device("meta" if case == "meta" else "cpu"):
            layers = [student.nn.Linear(3, 4), student.nn.LayerNorm(4), student.nn.Linear(4, 5)]
        expected = 3 * 4 + 4 + 4 + 4 + 4 * 5 + 5
        if case == "frozen":
            layers[0].requires_grad_(False)
        if case == "frozen-last":
            layers[2].requires_grad_(False)
        if case == "used-twice":
            layers.append(layers[2])
        if case == "buffers":
            layers.append(student.nn.BatchNorm1d(5))
            expected += 2 * 5
        count = student.count_parameters(student.nn.Sequential(*layers))
        expect.true(
            isinstance(count, int) and count == expected,
            observed=f"{count if isinstance(count, int) else 'no integer'}",
            expected=f"{expected}, the numbers in this model",
        )

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second model that loads the first one's state_dict gives the same logits."""
        first, second = probe.module("ViT", **SMALL), probe.module("ViT", **SMALL)
        images = draw(probe)
        state, wanted = first.state(), classify(expect, first, images)
        expect.true(
            bool(((classify(expect, second, images) - wanted).abs() > 1e-3).any()),
            observed="the logits do not depend on the weights",
            expected="different logits for different weights",
        )
        second.load(state)
        expect_same_state(expect, classify, second, images, answer=wanted, what="logits", atol=1e-6)

    def test_images_are_not_modified(self, probe, expect):
        """The images are the same after the call as before it."""
        logits = expect.unchanged(probe.module("ViT", **SMALL), draw(probe))
        expect.shape(logits, (2, CLASSES), what="logits")

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: probe.module("ViT", **SMALL), draw(probe))


class TestModes:
    def test_train_mode_changes_nothing(self, probe, expect):
        """Without dropout, train mode gives the logits of eval mode."""
        vit = probe.module("ViT", **SMALL)
        images = draw(probe)
        calm = expect_answer(expect, vit, images)
        expect_no_dropout(
            expect, classify, vit, images, answer=calm, what="logits in train mode", atol=1e-6
        )


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the logits are finite and have that dtype."""
        vit = probe.module("ViT", **SMALL, dtype=dtype)
        logits = expect_answer(expect, vit, draw(probe, dtype=dtype))
        expect.dtype(logits, dtype, what="logits")


class TestGradients:
    def test_gradient_predicts_the_change(self, probe, expect):
        """The gradient tells how the logits change when the images move a little."""
        vit = probe.module("ViT", **SMALL)
        images, direction, probed = draw(probe), draw(probe), probe.randn(2, CLASSES)

        def level(step):
            return (classify(expect, vit, images.detach() + step * direction) * probed).sum()

        images.requires_grad_()
        total = (classify(expect, vit, images) * probed).sum()
        expect_path_back(expect, total, expected="a gradient for the images")
        (gradient,) = torch.autograd.grad(total, images, materialize_grads=True)
        expect_gradient(expect, gradient, total, expected="logits that depend on the images")
        slope = ((level(1e-3) - level(-1e-3)) / 2e-3).detach()
        expect.close((gradient * direction).sum(), slope, what="slope of the logits", atol=1e-2)

    def test_every_parameter_learns(self, probe, expect):
        """Every parameter gets a gradient that is finite and not zero."""
        # By role: alone, a bias of the keys never gets one, since no softmax depends on it.
        pair = probe.pair("ViT", **SMALL)
        vit, parameters = pair.student, dict(pair.student.named_parameters())
        logits = classify(expect, vit, draw(probe))
        expect_path_back(expect, logits, expected="a gradient for every parameter")
        total = (logits * probe.randn(2, CLASSES)).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), materialize_grads=True)
        by_role = pair.by_role(dict(zip(parameters, gradients, strict=True)))
        for name, gradient in by_role.items():
            expect_gradient(
                expect, gradient, total, name=name, expected="a gradient for every parameter"
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On images and weights drawn for this submission, all gradients are right."""
        pair = probe.pair("ViT", **SMALL)
        expect.gradients(pair.student, pair.reference, draw(probe))
