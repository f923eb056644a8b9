"""a3.packed, hidden criteria: conversion, masking, modes, state, numerics, gradients.

Wherever it can be, a student's module is compared with itself, so that a wrong scale or a wrong
value costs `outputs` and nothing here.
"""

import pytest
import torch
from torch import nn

from .. import proofs, reasons
from ..dropped import expect_each_row_drops_its_own
from ..expectations import (
    expect_gradient,
    expect_no_dropout,
    expect_nothing_gathered,
    expect_one_mask_for_all,
    expect_path_back,
    expect_same_state,
)
from ..masked_attention import (
    expect_allowed_tokens_matter,
    expect_answer,
    expect_hidden_tokens_do_not_matter,
    run,
)

B, T, D, H, D_IN = 2, 5, 12, 3, 7

MASKS = {
    "for-all": (T, T),
    "one-a-sample": (H, T, T),  # as many samples as heads: broadcasting takes one for the other
    "padding": (H, 1, 1, T),
    "one-a-head": (1, H, 1, T),
    "for-each": (H, H, T, T),
}


def build(probe, *, dropout=0.0, train=False):
    """Return the student's module in float32, all its weights drawn by us."""
    return probe.module("PackedMultiHeadAttention", D, H, dropout, dtype=torch.float32, train=train)


def tokens_like(probe, batch=B, count=T, scale=1.0):
    return probe.randn(batch, count, D, dtype=torch.float32, scale=scale)


TORCHS_NAMES = {
    "in_proj_weight": "qkv.weight",
    "in_proj_bias": "qkv.bias",
    "out_proj.weight": "projection.weight",
    "out_proj.bias": "projection.bias",
}


def shapes_of(values):
    return {name: tuple(value.shape) for name, value in values.items()}


def torch_attention(student, probe, **options):
    """Return torch's own module twice, with us and with the student, all weights drawn."""
    ours = nn.MultiheadAttention(D, H, **options)
    theirs = student.nn.MultiheadAttention(D, H, **options)
    with torch.no_grad():
        for _, parameter in ours.named_parameters():
            parameter.copy_(probe.randn(*parameter.shape, scale=0.35))
    values = dict(ours.named_parameters())
    theirs.prepare(values, torch.float32, train=False)
    return ours.eval(), theirs, values


def converted(student, expect, theirs):
    """Return what from_torch_mha makes of torch's module, in eval mode."""
    packed = student.from_torch_mha(theirs)
    expect.true(
        hasattr(packed, "named_parameters"),
        observed="from_torch_mha returned no module",
        expected="a PackedMultiHeadAttention",
    )
    return packed.eval()


class TestConversion:
    @pytest.mark.parametrize("width", [(D_IN,), ()], ids=["weights", "biases"])
    def test_pack(self, student, reference, probe, expect, width):
        """First the query's rows, then the key's, then the value's."""
        expect.matches(student.pack_qkv, reference.pack_qkv, *probe.randn(3, D, *width))

    @pytest.mark.parametrize("width", [(D_IN,), ()], ids=["weights", "biases"])
    def test_unpack(self, student, reference, probe, expect, width):
        """The three parts are the query's, the key's and the value's."""
        expect.matches(student.unpack_qkv, reference.unpack_qkv, probe.randn(3 * D, *width))

    @pytest.mark.parametrize("batch_first", [True, False], ids=["batch-first", "tokens-first"])
    def test_numbers_arrive(self, student, probe, expect, batch_first):
        """What from_torch_mha returns computes what your class computes with the same numbers."""
        _, theirs, values = torch_attention(student, probe, batch_first=batch_first)
        pair = probe.pair("PackedMultiHeadAttention", D, H, dtype=torch.float32)
        x = tokens_like(probe)
        with torch.no_grad():
            pair.settle((x,), {})
            pair.write(
                {
                    "qkv.weight": values["in_proj_weight"],
                    "qkv.bias": values["in_proj_bias"],
                    "projection.weight": values["out_proj.weight"],
                    "projection.bias": values["out_proj.bias"],
                }
            )
            wanted = expect_answer(expect, pair.student, x)
            observed = run(expect, converted(student, expect, theirs), x)
        expect.close(observed, wanted, what="output after from_torch_mha")

    def test_as_torch_computes(self, student, probe, expect):
        """After from_torch_mha your module computes what torch's own does."""
        ours, theirs, _ = torch_attention(student, probe, batch_first=True)
        x = tokens_like(probe)
        with torch.no_grad():
            observed = run(expect, converted(student, expect, theirs), x)
            wanted, _ = ours(x, x, x)
        expect.close(observed, wanted, what="output after from_torch_mha")

    def test_dropout_is_carried_over(self, student, probe, expect):
        """The new module drops at the rate of the old one."""
        theirs = student.nn.MultiheadAttention(D, 1, dropout=0.2, batch_first=True)
        packed = converted(student, expect, theirs)
        x = tokens_like(probe, batch=1, count=1).expand(1024, 1, D).contiguous()
        with torch.no_grad():
            calm = run(expect, packed, x)
            wild = run(expect, packed.train(), x)
        # One token, one head: its only weight is 1 and lives on as 1.25, or is dropped.
        distance = (wild - calm).norm(dim=-1)  # 1024 1
        share = (distance > 0.5 * distance.max()).float().mean().item()
        expect.true(
            distance.max().item() > 1e-4 and abs(share - 0.2) < 0.08,
            observed=f"a share of {share if distance.max() > 1e-4 else 0.0:.2f} is dropped",
            expected="a share of about 0.2",
        )


class TestMasking:
    @pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS.keys())
    def test_hidden_tokens_do_not_matter(self, probe, expect, shape):
        """No output depends on a token that the mask hides from it."""
        attention, x = build(probe), tokens_like(probe, batch=H)
        expect_hidden_tokens_do_not_matter(probe, expect, attention, x, shape, keep=0.2)

    @pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS.keys())
    def test_allowed_tokens_matter(self, probe, expect, shape):
        """Every output depends on all tokens that the mask shows it."""
        attention, x = build(probe), tokens_like(probe, batch=H, scale=0.3)
        expect_allowed_tokens_matter(probe, expect, attention, x, shape, keep=0.2)

    def test_one_mask_for_as_many_samples_as_tokens(self, probe, expect):
        """A mask (T, T) is one for all samples, also where there are as many samples as tokens."""
        attention, x = build(probe), tokens_like(probe, batch=T)
        expect_answer(expect, attention, x)
        mask = probe.mask(T, T)
        expect_one_mask_for_all(expect, run, attention, x, mask)

    def test_remaining_weights_add_up(self, probe, expect):
        """Where much is hidden, the weights of what remains add up to as much as all of them."""
        attention = build(probe)
        expect_answer(expect, attention, tokens_like(probe))
        x = tokens_like(probe, count=1).expand(B, T, D)  # all values alike: only the sum shows
        masked = run(expect, attention.apart, x, probe.mask(T, T, keep=0.3))
        expect.close(masked, run(expect, attention, x), what="output with a mask", atol=1e-4)

    def test_samples_stay_apart(self, probe, expect):
        """No sample of a batch depends on another one."""
        attention, x = build(probe), tokens_like(probe, batch=3)
        together = expect_answer(expect, attention, x)
        for sample in range(3):
            alone = run(expect, attention.apart, x[sample : sample + 1])
            expect.close(
                alone, together[sample : sample + 1], what=f"output of sample {sample}", atol=1e-4
            )

    def test_hidden_tokens_never_win(self, probe, expect):
        """A token that sees only itself has the output that it has alone, however low its score."""
        attention = build(probe)
        expect_answer(expect, attention, tokens_like(probe))
        attention.to(torch.float64)
        # Among 64 samples and some heads, the first token's score of itself is often below -10,000.
        x = probe.randn(64, T, D, scale=400.0)
        alone = run(expect, attention, x[:, :1])
        allowed = torch.ones(T, T, dtype=torch.bool).tril()
        first = run(expect, attention.apart, x, allowed)[:, :1]

        def why():
            hidden = [run(expect, attention, x[:, i : i + 1]) for i in range(1, T)]
            shared = proofs.filled_with_a_number(first[:, 0], alone[:, 0], torch.cat(hidden, dim=1))
            return shared or proofs.lost_to_a_number(gap(x), gap(x / 400.0))

        def gap(tokens):
            own = tokens[:, :1]
            copies = run(expect, attention, own.expand_as(tokens).contiguous(), allowed)
            return (copies[:, :1] - run(expect, attention, own))[:, 0]

        expect.close(first, alone, what="output 0, which sees itself alone", why=why)


class TestModes:
    def test_eval_repeats_itself(self, probe, expect):
        """After train() and eval() again, two calls give the same output."""
        attention, x = build(probe, dropout=0.5, train=True), tokens_like(probe, batch=16)
        wild = run(expect, attention, x)
        attention.eval()
        calm = run(expect, attention, x)
        expect.close(run(expect, attention.apart, x), calm, what="second output in eval mode")
        expect.true(
            bool(((wild - calm).abs() > 1e-3).any()),
            observed="train mode and eval mode give the same output",
            expected="dropout in train mode only",
            why=lambda: reasons.NOTHING_DROPPED,
        )

    def test_no_dropout(self, probe, expect):
        """With a dropout of 0, train mode gives what eval mode gives."""
        attention, x = build(probe), tokens_like(probe)
        calm = expect_answer(expect, attention, x)
        expect_no_dropout(
            expect, run, attention, x, answer=calm, what="output in train mode", atol=1e-5
        )

    def test_dropout_is_on_the_weights(self, probe, expect):
        """Where all tokens are alike, dropout changes how much of each head's value is gathered,
        and nothing else."""
        attention = build(probe, dropout=0.2)
        x = tokens_like(probe, batch=1, count=1).expand(256, T, D).contiguous()
        at_rest = run(expect, attention, x).detach()[0]  # T D
        calm = at_rest[-1]
        attention.train()
        each = run(expect, attention, x).detach()
        wild = each[:, -1]
        # Each head contributes its own vector times the sum of its surviving weights.
        seen = torch.linalg.matrix_rank((wild - calm).double(), rtol=1e-4).item()
        expect.true(
            seen == H,
            observed=f"dropout moves the output in {seen} independent directions",
            expected=f"{H} directions: one for each head, whose weights are dropped",
            why=lambda: proofs.dropped_elsewhere(seen, H, at_rest),
        )
        # 256 samples, three heads of 5 weights: the mean is good to a few hundredths.
        shift = (wild.mean(0) - calm).norm() / (wild - calm).norm(dim=1).mean()
        expect.true(
            shift.item() < 0.25,
            observed="on average, outputs in train mode differ from those in eval mode",
            expected="survivors that grow by 1 / (1 - dropout)",
            why=lambda: reasons.MEAN_MOVES,
        )
        expect_each_row_drops_its_own(expect, each)


class TestState:
    def test_number_of_parameters(self, student, expect):
        """A map to three times the width and one back, each with a bias, and nothing else."""
        attention = student.PackedMultiHeadAttention(D, H)
        count = sum(parameter.numel() for parameter in attention.parameters())
        expected = 4 * D * D + 4 * D
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second module that loads the first one's state_dict computes the same."""
        first, second, x = build(probe), build(probe), tokens_like(probe)
        state, wanted = first.state(), run(expect, first, x)
        expect.true(
            bool(((run(expect, second, x) - wanted).abs() > 1e-3).any()),
            observed="the output does not depend on the weights",
            expected="different outputs for different weights",
        )
        second.load(state)
        expect_same_state(
            expect, run, second, x, answer=wanted, what="output of the second module", atol=1e-6
        )

    def test_checkpoint(self, student, reference, probe, expect):
        """A published checkpoint, rows ordered (qkv h d), gives its outputs: loaded by its names,
        or, where these or the order of rows are others, brought in by from_torch_mha."""
        published = reference.PackedMultiHeadAttention(D, H).double().eval()
        attention = student.PackedMultiHeadAttention(D, H).double().eval()
        checkpoint = {
            name: probe.randn(*value.shape, scale=0.35)
            for name, value in published.state_dict().items()
        }
        published.load_state_dict(checkpoint)
        x = probe.randn(B, T, D)
        with torch.no_grad():
            wanted = published(x)
            if dict(attention.layout).items() >= shapes_of(checkpoint).items():
                attention.load(checkpoint, strict=False)
                output = run(expect, attention, x)
                if torch.allclose(output, wanted, atol=1e-5):
                    return expect.close(output, wanted, what="output", atol=1e-5)
            theirs = student.nn.MultiheadAttention(D, H, batch_first=True)
            values = {name: checkpoint[own] for name, own in TORCHS_NAMES.items()}
            theirs.prepare(values, torch.float64, train=False)
            output = run(expect, converted(student, expect, theirs).double(), x)
            return expect.close(output, wanted, what="output", atol=1e-5)

    def test_pack_and_unpack(self, student, probe, expect):
        """What was packed is unpacked again as it was."""
        parts = tuple(probe.randn(3, D, D_IN))
        again = expect.items(student.unpack_qkv(student.pack_qkv(*parts)), 3)
        expect.close(again, parts, what="parts")

    def test_nothing_is_modified(self, student, probe, expect):
        """Tokens, mask and weights are the same after a call as before it."""
        mask = probe.mask(B, T, T)
        mask[0, 0] = False  # a token that sees nobody: some open its row for the softmax
        output = expect.unchanged(build(probe), tokens_like(probe), mask)
        expect.shape(output, (B, T, D), what="output")
        expect.unchanged(student.pack_qkv, *probe.randn(3, D, D_IN))
        expect.unchanged(student.unpack_qkv, probe.randn(3 * D, D_IN))

    @pytest.mark.parametrize("moved", ["torch's", "yours"])
    def test_no_shared_memory(self, student, probe, expect, moved):
        """After from_torch_mha, training one module does not move the other."""
        _, theirs, _ = torch_attention(student, probe, batch_first=True)
        packed, x = converted(student, expect, theirs), tokens_like(probe)
        one, other = (theirs, packed) if moved == "torch's" else (packed, theirs)

        def answer(module):
            with torch.no_grad():
                return module(x, x, x)[0] if module is theirs else run(expect, module, x)

        untouched, before = answer(one), answer(other)
        one.write({name: 0.1 - 0.5 * p.detach() for name, p in one.named_parameters()})
        expect.true(
            bool(((answer(one) - untouched).abs() > 1e-3).any()),
            observed="the output does not depend on the weights",
            expected="other outputs for other weights",
        )
        expect.close(answer(other), before, what="output of the other module", atol=1e-5)

    def test_nothing_is_kept_of_earlier_calls(self, probe, expect):
        """A call gives the same after others, one of them with fewer tokens, each with its mask."""
        first = probe.mask(T, T)
        first[1] = False  # nobody is left for the second token, as for no one later
        expect.starts_anew(
            build(probe),
            expect.call(tokens_like(probe), first),
            expect.call(tokens_like(probe, count=3), probe.mask(3, 3)),
            expect.call(tokens_like(probe), probe.mask(T, T)),
        )

    def test_packing_starts_anew(self, student, probe, expect):
        """Weights of other sizes leave nothing behind, neither in packing nor in unpacking."""
        sizes = (D, 2 * D, D)
        parts = [expect.call(*probe.randn(3, size, D_IN)) for size in sizes]
        expect.starts_anew(student.pack_qkv, *parts)
        expect.starts_anew(
            student.unpack_qkv, *(expect.call(probe.randn(3 * size, D_IN)) for size in sizes)
        )

    def test_two_modules_share_nothing(self, probe, expect):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: build(probe), tokens_like(probe))

    def test_conversions_share_nothing(self, student, probe, expect):
        """Converting a second module of torch's leaves what the first became as it was."""
        _, theirs, values = torch_attention(student, probe)
        same = student.apart.nn.MultiheadAttention(D, H)
        same.prepare(values, torch.float32, train=False)
        x = tokens_like(probe)
        with torch.no_grad():
            first = converted(student, expect, theirs)
            run(expect, converted(student, expect, torch_attention(student, probe)[1]), x)
            alone = run(expect, converted(student.apart, expect, same), x)
            expect.close(run(expect, first, x), alone, what="output after from_torch_mha")


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output is finite and has that dtype, with a mask as well."""
        attention = build(probe).to(dtype)
        x = probe.randn(B, T, D, dtype=dtype)
        expect.dtype(expect_answer(expect, attention, x), dtype, what="output")
        masked = run(expect, attention, x, probe.mask(T, T))
        expect.dtype(masked, dtype, what="output with a mask")

    def test_huge_scores(self, probe, expect):
        """Scores in the thousands give finite outputs."""
        expect_answer(expect, build(probe), tokens_like(probe, scale=100.0))

    def test_token_that_sees_nobody(self, probe, expect):
        """A token that may attend to nobody gathers zeros: its output is the projection's bias."""
        pair = probe.pair("PackedMultiHeadAttention", D, H)
        mask = probe.mask(T, T)
        mask[2] = False
        x = probe.randn(B, T, D)
        with torch.no_grad():
            output = run(expect, pair.student, x, mask)
        bias = pair.reference.projection.bias.detach()

        def beside_others():
            others = probe.randn(B, T, D)
            others[:, 2] = x[:, 2]
            return run(expect, pair.student, others, mask)[:, 2]

        expect_nothing_gathered(
            expect, output[:, 2], bias, beside_others, what="output of that token"
        )


class TestGradients:
    def test_token_that_sees_nobody(self, probe, expect):
        """Gradients stay finite where a token may attend to nobody."""
        attention, x = build(probe), tokens_like(probe)
        expect_answer(expect, attention, x)
        mask = probe.mask(T, T)
        mask[2] = False
        output = attention(x.requires_grad_(), mask)
        expect.floats(output, (B, T, D), what="output")
        expect_path_back(expect, output, expected="a gradient for the tokens")
        total = (output * probe.randn(B, T, D, dtype=torch.float32)).sum()
        (gradient,) = torch.autograd.grad(total, x, materialize_grads=True)
        expect_gradient(
            expect, gradient, total, least=1e-6, expected="outputs that depend on the tokens"
        )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right."""
        pair = probe.pair("PackedMultiHeadAttention", D, H)
        x, mask = probe.randn(B, T, D), probe.mask(B, T, T)
        expect.gradients(pair.student, pair.reference, x, mask)

    def test_gradients_without_a_mask(self, probe, expect):
        """Without a mask, all gradients are right."""
        pair = probe.pair("PackedMultiHeadAttention", D, H)
        expect.gradients(pair.student, pair.reference, probe.randn(B, T, D))
