"""a4.embeddings, hidden criteria: tokens, modes, state, numerics, gradients.

But for the fresh check a student's tokens are compared with each other, so that patches cut
wrongly in a4.patch_embedding cost nothing here.
"""

import pytest
import torch

from .. import proofs, reasons
from ..dropped import expect_drawn_anew
from ..expectations import expect_no_dropout, expect_path_back, expect_same_again, expect_same_state

C, P, D, SIDE = 2, 3, 10, 12
PATCHES = (SIDE // P) ** 2
TOKENS = PATCHES + 1
ARGUMENTS = (C, P, D, SIDE)


def draw(probe, batch=2, dtype=torch.float64):
    return probe.randn(batch, C, SIDE, SIDE, dtype=dtype)


def tokens_of(expect, embed, images):
    """Call the student's module; the tokens have the right shape and no NaN, or the check ends."""
    tokens = embed(images)
    expect.floats(tokens, (len(images), TOKENS, D), what="tokens")
    expect.finite(tokens, what="tokens")
    return tokens


def expect_answer(expect, embed, images):
    """Return the tokens of images in eval mode. Other images give others, and the same again in a
    process that has not seen them, or the check ends: what does not come from the images proves
    nothing."""
    embed.eval()
    tokens, other = tokens_of(expect, embed, images), tokens_of(expect, embed, -images)
    expect_same_again(
        expect,
        tokens_of,
        embed,
        -images,
        answer=other,
        what="tokens of the same images once more",
        atol=1e-6,
    )
    expect.true(
        bool((other - tokens).abs().amax() > 1e-6),
        observed="the tokens do not depend on the images",
        expected="other tokens for other images",
    )
    return tokens


class TestTokens:
    def test_class_token_comes_first(self, probe, expect):
        """Token 0 is the same for all images, and every other token is not."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS)
        tokens = expect_answer(expect, embed, draw(probe, batch=4))
        moved = (tokens[1:] - tokens[0]).abs().amax(dim=(0, 2)) > 1e-6  # T
        expect.true(
            not moved[0],
            observed="token 0 depends on the image",
            expected="the class token as token 0",
        )
        still = (~moved[1:]).nonzero().flatten().tolist()
        expect.true(
            not still,
            observed=f"{len(still)} more of the tokens, number {still[0] + 1 if still else 0} "
            "for instance, do not depend on the image",
            expected="one class token, and one token for each patch",
        )

    def test_class_token_is_learned(self, probe, expect):
        """What the class token holds is what token 0 holds, and nothing else moves."""
        pair = probe.pair("ViTEmbeddings", *ARGUMENTS)
        images = draw(probe)
        before = expect_answer(expect, pair.student, images)
        step = probe.randn(1, 1, D)
        pair.write({"cls_token": dict(pair.reference.named_parameters())["cls_token"] + step})
        moved = tokens_of(expect, pair.student.apart, images) - before
        expected = torch.zeros(2, TOKENS, D, dtype=torch.float64)
        expected[:, 0] = step[0]
        expect.close(moved, expected, what="change of the tokens", atol=1e-5)

    @pytest.mark.parametrize("token", [0, 1, 7, PATCHES])
    def test_position_belongs_to_its_token(self, probe, expect, token):
        """A position is added to its own token, to the class token as to any other."""
        pair = probe.pair("ViTEmbeddings", *ARGUMENTS)
        images = draw(probe)
        before = expect_answer(expect, pair.student, images)
        positions = dict(pair.reference.named_parameters())["positions"].detach().clone()
        step = probe.randn(D)
        positions[token] += step
        pair.write({"positions": positions})
        moved = tokens_of(expect, pair.student.apart, images) - before
        reached = (moved.abs().amax(dim=(0, 2)) > 1e-6).nonzero().flatten().tolist()
        expect.true(
            reached == [token],
            observed=f"the position of token {token} is added to tokens {reached}",
            expected=f"added to token {token} alone",
        )
        expect.close(moved[:, token], step.expand(2, D), what="what is added", atol=1e-5)

    def test_images_stay_apart(self, probe, expect):
        """No image of a batch changes the tokens of another."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS)
        images = draw(probe, batch=3)
        together = expect_answer(expect, embed, images)
        alone = torch.cat([tokens_of(expect, embed.apart, image[None]) for image in images])
        expect.close(alone, together, what="tokens", atol=1e-5)


class TestModes:
    """Which numbers are dropped is random and is never asked; see what survives, and how much."""

    BATCH = 100  # 17,000 numbers, 1,000 of each token

    def in_train_mode(self, probe, expect, p):
        """Return the tokens of many images in eval mode and in train mode."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS, dropout=p)
        images = draw(probe, batch=self.BATCH)
        calm = expect_answer(expect, embed, images)
        embed.train()
        return embed, images, calm, tokens_of(expect, embed, images)

    def test_share_that_is_dropped(self, probe, expect):
        """In train mode the share `dropout` of all numbers is 0, of each token alike."""
        _, _, _, wild = self.in_train_mode(probe, expect, 0.3)
        share = (wild == 0).double().mean(dim=(0, 2))  # T
        # The standard deviation is 0.015.
        wanted = torch.full((TOKENS,), 0.3)
        expect.close(share, wanted, what="share of each token that is dropped", atol=0.12)

    def test_dropped_once(self, probe, expect):
        """What survives has grown by 1 / (1 - dropout), once."""
        embed, images, calm, wild = self.in_train_mode(probe, expect, 0.2)
        alive = wild != 0

        def why():
            alike = tokens_of(expect, embed, images[:1].repeat(self.BATCH, 1, 1, 1))
            growth = proofs.growth_of_survivors(calm[alive], wild[alive], 0.2)
            return growth or proofs.applied_twice(alike)

        expect.true(
            0 < int((~alive).sum()) < alive.numel(),
            observed="nothing is dropped in train mode, or everything",
            expected="some numbers dropped",
        )
        expect.close(
            wild[alive],
            calm[alive] / 0.8,
            what="a number that survives",
            atol=1e-5,
            why=why,
        )

    def test_each_call_draws_anew(self, probe, expect):
        """Two calls in train mode drop different numbers."""
        embed, images, _, first = self.in_train_mode(probe, expect, 0.5)
        second = tokens_of(expect, embed, images)
        expect_drawn_anew(expect, first == 0, second == 0, atol=0.05)

    def test_eval_mode_rests(self, probe, expect):
        """In eval mode a dropout changes nothing: the tokens are those of a module without it."""
        plain = probe.module("ViTEmbeddings", *ARGUMENTS)
        images = draw(probe)
        expect_answer(expect, plain, images)
        active = probe.module("ViTEmbeddings", *ARGUMENTS, dropout=0.5)
        expect.rests(active.eval(), plain, images)

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS)
        images = draw(probe)
        calm = expect_answer(expect, embed, images)
        expect_no_dropout(
            expect, tokens_of, embed, images, answer=calm, what="tokens in train mode", atol=1e-6
        )


class TestState:
    def test_number_of_parameters(self, student, expect):
        """Patches, class token and positions are all there is to train."""
        parameters = student.ViTEmbeddings(*ARGUMENTS).parameters()
        count = sum(parameter.numel() for parameter in parameters)
        expected = D * (C * P * P + 1) + D + TOKENS * D
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second module that loads the first one's state_dict gives the same tokens."""
        first, second = (probe.module("ViTEmbeddings", *ARGUMENTS) for _ in range(2))
        images = draw(probe)
        state, wanted = first.state(), expect_answer(expect, first, images)
        expect.true(
            bool(((tokens_of(expect, second, images) - wanted).abs() > 1e-3).any()),
            observed="the tokens do not depend on the weights",
            expected="different tokens for different weights",
        )
        second.load(state)
        expect_same_state(
            expect, tokens_of, second, images, answer=wanted, what="tokens", atol=1e-6
        )

    def test_images_are_not_modified(self, probe, expect):
        """The images are the same after the call as before it."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS)
        expect.unchanged(embed, draw(probe))

    def test_later_calls(self, probe, expect):
        """What an image gives does not hang on the calls before, nor on their batches."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS)
        images = draw(probe, batch=5)
        first = expect_answer(expect, embed, images[:2])
        tokens_of(expect, embed.apart, 2 * images)
        later = tokens_of(expect, embed.apart, images[:2])
        expect.close(later, first, what="tokens of the same images later", atol=1e-6)

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: probe.module("ViTEmbeddings", *ARGUMENTS).eval(), draw(probe))

    def test_another_size_leaves_no_trace(self, student, probe, expect):
        """After a module of another size, one of the usual size computes what it should."""
        student.ViTEmbeddings(C, P, D, 2 * SIDE)
        module = probe.module("ViTEmbeddings", *ARGUMENTS).eval()
        output = tokens_of(expect, module, draw(probe))
        expect.true(
            output.std().item() > 1e-6,
            observed="an output that is the same everywhere",
            expected="an output that depends on the tokens",
        )


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the tokens are finite and have that dtype."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS, dtype=dtype)
        tokens = expect_answer(expect, embed, draw(probe, dtype=dtype))
        expect.dtype(tokens, dtype, what="tokens")


class TestGradients:
    def test_every_parameter_learns(self, probe, expect):
        """Patches, class token and positions all get a gradient that is finite and not zero."""
        embed = probe.module("ViTEmbeddings", *ARGUMENTS)
        parameters = dict(embed.named_parameters())
        expect.true(parameters, observed="no parameters", expected="parameters that learn")
        tokens = tokens_of(expect, embed, draw(probe))
        expect_path_back(expect, tokens, expected="a gradient for every parameter")
        total = (tokens * probe.randn(2, TOKENS, D)).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), materialize_grads=True)
        for name, gradient in zip(parameters, gradients, strict=True):
            expect.true(
                gradient.abs().max().item() > 1e-6,
                observed=f"{name} gets no gradient",
                expected="a gradient for every parameter",
                why=lambda: reasons.NO_GRADIENT,
            )

    def test_class_token_learns_from_every_image(self, probe, expect):
        """The gradient of the class token is the sum over the batch."""
        pair = probe.pair("ViTEmbeddings", *ARGUMENTS)
        parameters = dict(pair.student.named_parameters())
        tokens = tokens_of(expect, pair.student, draw(probe, batch=5))
        expect_path_back(expect, tokens, expected="a gradient")
        weights = probe.randn(5, TOKENS, D)
        total = (tokens * weights).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), allow_unused=True)
        found = pair.by_role(dict(zip(parameters, gradients, strict=True)))
        expected = weights.sum(dim=0)  # T D
        for name, wanted in (("cls_token", expected[:1]), ("positions", expected)):
            gradient = found[name]
            expect.true(
                gradient is not None,
                observed=f"no gradient reaches {name}",
                expected=f"a gradient of {name}",
            )
            expect.close(
                gradient.reshape(wanted.shape), wanted, what=f"gradient of {name}", atol=1e-4
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On images and weights drawn for this submission, all gradients are right."""
        pair = probe.pair("ViTEmbeddings", *ARGUMENTS)
        expect.gradients(pair.student, pair.reference, draw(probe))
