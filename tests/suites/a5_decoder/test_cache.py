"""a5.cache, hidden criteria: cache, masking, state, numerics, gradients.

A student's module is compared with itself, in one piece and in several: a wrong scale costs
`outputs` and nothing here.
"""

import pytest
import torch

from .. import proofs
from ..expectations import (
    expect_gradient,
    expect_hidden_from_low_scores,
    expect_path_back,
    expect_same_in_chunks,
)

B, H, T, D, DH, DV = 2, 3, 7, 12, 6, 5


def build(probe, dtype=torch.float64):
    """Return the student's module, all its weights drawn by us."""
    return probe.module("KVCacheAttention", D, H, dtype=dtype)


def take_in(expect, method, x):
    """Call `prefill` or `step`; the output has the right shape and no NaN, or the check ends."""
    with torch.no_grad():
        output = method(x)
    expect.floats(output, x.shape, what="output")
    expect.finite(output, what="output")
    return output


def in_chunks(expect, attention, x, widths):
    """Return the outputs of `prefill` with the first chunk and of `step` with each other one."""
    first, *others = x.split(widths, dim=1)
    found = [take_in(expect, attention.prefill, first)]
    found += [take_in(expect, attention.step, chunk) for chunk in others]
    return torch.cat(found, dim=1)


def look_ahead(probe, expect, attention, widths):
    """Name the way in which tokens, in chunks of `widths`, see others than those before them."""
    x = probe.randn(B, T, D, scale=0.3)  # small scores: no weight is near zero
    return proofs.look_ahead(lambda tokens: in_chunks(expect, attention, tokens, widths), x)


def expect_look_back(probe, expect, attention, widths=(T - 1, 1)):
    """The last output depends on the first token and on its own, or the check ends: what does not
    come from the tokens is the same however they come."""
    x = probe.randn(B, T, D, scale=0.3)  # small scores: no weight is near zero
    before = in_chunks(expect, attention, x, widths)[:, -1]
    again = in_chunks(expect, attention.apart, x, widths)[:, -1]
    expect.close(again, before, what="output of the same tokens once more", atol=1e-5)
    for place in (0, T - 1):
        changed = x.clone()
        changed[:, place] += 1.0
        moved = in_chunks(expect, attention, changed, widths)[:, -1] - before
        expect.true(
            bool((moved.abs().amax(-1) > 1e-4).all()),
            observed=f"the last of {T} outputs does not depend on token {place}",
            expected="every output depends on all tokens before it",
        )


class TestCache:
    @pytest.mark.parametrize("widths", [[4, 2, 1], [1] * T, [1, 6], [6, 1], [2, 3, 2]], ids=str)
    def test_any_chunks_give_the_same(self, probe, expect, widths):
        """However a text is cut into chunks, the outputs are those of the whole."""
        attention = build(probe)
        expect_look_back(probe, expect, attention)
        x = probe.randn(B, T, D)
        what = f"outputs in chunks of {widths}"
        expect_same_in_chunks(expect, in_chunks, attention, x, widths, what)

    def test_prefill_forgets(self, probe, expect):
        """After another text, of another batch size, `prefill` begins anew."""
        attention = build(probe)
        expect_look_back(probe, expect, attention)
        for batch in (B, 5, 1):
            x = probe.randn(B, T, D)
            before = in_chunks(expect, attention, x, [4, 3])
            in_chunks(expect, attention.apart, probe.randn(batch, 3, D), [2, 1])
            after = in_chunks(expect, attention.apart, x, [4, 3])
            expect.close(after, before, what=f"outputs after a batch of {batch}", atol=1e-5)

    def test_two_modules_stay_apart(self, probe, expect):
        """What one module has seen is not known to another one."""
        one, other = build(probe), build(probe)
        expect_look_back(probe, expect, one)
        x = probe.randn(B, T, D)
        whole = take_in(expect, one.prefill, x)
        one, other = one.apart, other.apart
        start = take_in(expect, one.prefill, x[:, :4])
        in_chunks(expect, other, probe.randn(B, T, D), [3, 4])
        rest = take_in(expect, one.step, x[:, 4:])
        expect.close(torch.cat([start, rest], dim=1), whole, what="outputs", atol=1e-5)

    @pytest.mark.parametrize("role", ["W_key", "W_value"])
    def test_nothing_old_is_computed_again(self, probe, expect, role):
        """When the weights change, what was computed from old tokens stays."""
        pair = probe.pair("KVCacheAttention", D, H)
        attention = pair.student
        expect_look_back(probe, expect, attention)
        x = probe.randn(B, T, D)
        outputs = take_in(expect, attention.prefill, x)[:, -1:]
        take_in(expect, attention.apart.prefill, x[:, :-1])
        # A change that only old tokens feel: its rows are orthogonal to the new ones.
        basis, _ = torch.linalg.qr(x[:, -1].T)  # D B
        change = probe.randn(D, D)
        weight = getattr(pair.reference, role).weight.detach()
        pair.write({f"{role}.weight": weight + change - change @ basis @ basis.T})
        step = take_in(expect, attention.apart.step, x[:, -1:])
        expect.close(step, outputs, what="output after a change that only old tokens feel")

    @pytest.mark.alone
    def test_a_step_is_no_matrix(self, probe, expect):
        """One more token after 2048 gets by with 48 MiB; scores of all with all need 64."""
        expect_look_back(probe, expect, build(probe))
        # A mask of all with all that a step makes anew takes up to 40 MiB as float32. It is more
        # than is needed, but the text forbids to compute twice, and a mask computes nothing.
        attention = probe.module("KVCacheAttention", 4, 2, dtype=torch.float32)
        x = probe.randn(1, 2049, 4, dtype=torch.float32).repeat(2, 1, 1)
        outputs = in_chunks(expect, attention, x[:, :-1], [512] * 4)
        with torch.no_grad():
            output = expect.within_memory(48, attention.step, x[:, -1:])
        expect.floats(output, (2, 1, 4), what="output")
        expect.close(output[0], output[1], what="output of the same text", atol=1e-4)
        spread = outputs.std(dim=1)
        inside = (output[:, 0] - outputs.mean(dim=1)).abs() < 8 * spread
        expect.true(
            bool((spread > 1e-3).all() and inside.all()),
            observed="the output has nothing to do with those before it",
            expected="an output of the same kind as those of the tokens before",
        )


class TestMasking:
    @pytest.mark.parametrize("widths", [[T], [3, 4], [1, 6]], ids=str)
    def test_future_tokens_stay_hidden(self, probe, expect, widths):
        """No output depends on a later token, neither at the beginning nor inside a chunk."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, widths)
        x = probe.randn(B, T, D)
        before = in_chunks(expect, attention, x, widths)
        for place in range(1, T):
            changed = x.clone()
            changed[:, place:] = probe.randn(B, T - place, D, scale=3.0)
            after = in_chunks(expect, attention.apart, changed, widths)
            expect.close(
                after[:, :place],
                before[:, :place],
                what=f"outputs before token {place} after changing it and all later ones",
                atol=1e-5,
                why=lambda: look_ahead(probe, expect, attention, widths),
            )

    @pytest.mark.parametrize("widths", [[T], [3, 4], [1, 6]], ids=str)
    def test_past_tokens_are_seen(self, probe, expect, widths):
        """Every token sees itself and all tokens before it, those of earlier chunks included."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, widths)
        x = probe.randn(B, T, D, scale=0.3)
        before = in_chunks(expect, attention, x, widths)
        for place in range(T):
            changed = x.clone()
            changed[:, place] += 1.0
            moved = in_chunks(expect, attention.apart, changed, widths) - before
            expect.true(
                bool((moved.abs().amax(-1)[:, place:] > 1e-4).all()),
                observed=f"an output from token {place} on does not depend on it",
                expected="every output depends on its own token and on all before it",
                why=lambda: look_ahead(probe, expect, attention, widths),
            )

    @pytest.mark.parametrize("window", [2, 3, T])
    def test_window(self, student, probe, expect, window):
        """A token sees itself and the window - 1 tokens before it, and no other."""
        query, key = probe.randn(B, T, DH, scale=0.3), probe.randn(B, T, DH, scale=0.3)
        value = probe.randn(B, T, DV)

        def attend(student, values):
            output = student.sliding_window_attention(query, key, values, window)
            expect.floats(output, (B, T, DV), what="output")
            expect.finite(output, what="output")
            return output

        before = attend(student, value)
        expect.true(
            bool((before[:, 1:] - value[:, 1:]).abs().amax(-1).min() > 1e-3),
            observed="the output is no mixture of what a token sees",
            expected="a mixture for every token but the first",
        )

        def sees(place):
            changed = value.clone()
            changed[:, place] += 100.0
            return (attend(student.apart, changed) - before).abs().amax(-1) > 1e-3  # B T

        def why():
            seen = torch.stack([sees(place) for place in range(T)], dim=-1)  # B T T
            return proofs.window_reading(seen[0], window) if bool((seen == seen[0]).all()) else None

        for place in range(T):
            seen = sees(place)
            wanted = [place <= i < place + window for i in range(T)]
            found = seen[0].tolist()
            expect.true(
                found == wanted and bool((seen == seen[0]).all()),
                observed=f"token {place} is seen by the tokens {_named(found)}",
                expected=f"with a window of {window}, by the tokens {_named(wanted)}",
                why=why,
            )
        many = [probe.randn(1, 300, width, scale=0.3) for width in (DH, DH, DV)]
        last = student.sliding_window_attention(*many, window)
        alone = student.apart.sliding_window_attention(*(x[:, -window:] for x in many), window)
        expect.close(last[:, -1], alone[:, -1], what="last of 300 outputs", atol=1e-5)

    @pytest.mark.parametrize("widths", [[T], [1, T - 1]], ids=["at-once", "in-a-step"])
    def test_future_stays_hidden_from_low_scores(self, probe, expect, widths):
        """No output depends on a later token even where a token's own scores are very low."""
        attention = build(probe)
        expect_look_back(probe, expect, attention)
        # Among 64 samples and some heads, all scores that count are often below -10,000.
        x, other = probe.randn(64, T, D, scale=400.0), probe.randn(64, T, D, scale=400.0)
        expect_hidden_from_low_scores(expect, in_chunks, attention, x, other, widths)

    def test_window_holds_for_low_scores(self, student, probe, expect):
        """What is outside the window gets nothing even where all scores are very low."""
        usual = probe.randn(B, T, DH, scale=0.3), probe.randn(B, T, DH, scale=0.3)
        value = probe.randn(B, T, DV)
        mixture = student.sliding_window_attention(*usual, value, 2)
        expect.floats(mixture, (B, T, DV), what="output")
        expect.true(
            bool((mixture[:, 1:] - value[:, 1:]).abs().amax(-1).min() > 1e-3),
            observed="the output is no mixture of what a token sees",
            expected="a mixture for every token but the first",
        )

        def ask(asked, which, query, key):
            output = asked.sliding_window_attention(query, key, values[which], 2)
            expect.floats(output, (B, T, DV), what="output")
            return output

        def near(places):
            return proofs.seen_from_afar(*(ask(student, i, *usual)[:, places] for i in (0, 1)))

        # Scores around -24,000: a fill of -10,000 would win.
        query, key = probe.randn(B, T, DH) + 100, probe.randn(B, T, DH) - 100
        values = probe.randn(2, B, T, DV)
        values[1, :, :1] = values[0, :, :1]
        first, second = ask(student, 0, query, key), ask(student.apart, 1, query, key)
        expect.close(
            second[:, 0],
            first[:, 0],
            what="output 0 after changing all later values",
            why=lambda: near(slice(1)),
        )
        expect.true(
            bool(((second - first)[:, 2:].abs().amax(-1) > 1e-6).all()),
            observed="an output does not depend on the values in its window",
            expected="other outputs for other values",
        )
        # Token 0 scores 24,000 now, out of sight: 10,000 less would still win.
        key[:, 0] *= -1
        values[1, :, 0] = probe.randn(B, DV)
        values[1, :, 1:] = values[0, :, 1:]
        first, second = ask(student, 0, query, key), ask(student.apart, 1, query, key)
        expect.close(
            second[:, 2:],
            first[:, 2:],
            what="outputs after changing a value out of sight",
            why=lambda: near(slice(2, None)),
        )


def _named(seen):
    return ", ".join(str(place) for place, is_seen in enumerate(seen) if is_seen) or "none"


class TestState:
    def test_number_of_parameters(self, student, expect):
        """Four linear maps with bias are all there is to train."""
        count = sum(p.numel() for p in student.KVCacheAttention(D, H).parameters())
        expected = 4 * (D * D + D)
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_the_cache_is_not_part_of_the_state(self, probe, expect):
        """What was seen is not in the state_dict."""
        attention = build(probe)
        before = sorted(attention.state())
        in_chunks(expect, attention, probe.randn(B, T, D), [4, 3])
        added = sorted(set(attention.state()) - set(before))
        size = sum(value.numel() for value in attention.state().values())
        expect.true(
            not added and size < 5 * (D * D + D),
            observed=f"a state_dict of {size} numbers, with {', '.join(added) or 'nothing'} new",
            expected="the four linear maps and nothing that was seen",
            why=lambda: proofs.cache_in_the_state(
                (value for name, value in attention.state().items() if name in added), B * T * D
            ),
        )

    @pytest.mark.parametrize("method", ["prefill", "step"])
    def test_tokens_are_not_modified(self, probe, expect, method):
        """The tokens are the same after the call as before it."""
        attention = build(probe)
        x = probe.randn(B, T, D)
        take_in(expect, attention.prefill, x)
        output = expect.unchanged(getattr(attention, method), x)
        expect.shape(output, x.shape, what="output")

    def test_window_leaves_its_inputs_alone(self, student, probe, expect):
        """Query, key and value are the same after the call as before it."""
        inputs = [probe.randn(B, T, DH) for _ in range(3)]
        expect.unchanged(student.sliding_window_attention, *inputs, 3)

    def test_window_keeps_nothing_of_earlier_calls(self, student, probe, expect):
        """A call gives the same after others, one of them with fewer tokens."""
        calls = [
            expect.call(*probe.randn(2, B, count, DH), probe.randn(B, count, DV), 3)
            for count in (T, 4, T)
        ]
        expect.starts_anew(student.sliding_window_attention, *calls)


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` outputs are finite and have that dtype, in pieces as in one."""
        attention = build(probe, dtype=torch.float32)
        expect_look_back(probe, expect, attention.to(torch.float64), [T])
        attention.to(dtype)
        x = probe.randn(B, T, D, dtype=dtype)
        for widths in ([T], [4, 2, 1]):
            output = in_chunks(expect, attention, x, widths)
            expect.dtype(output, dtype, what=f"output in chunks of {widths}")

    def test_huge_scores(self, probe, expect):
        """Scores in the thousands give finite outputs, in pieces as in one."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, [T])
        x = probe.randn(B, T, D, scale=100.0)
        for widths in ([T], [4, 2, 1]):
            in_chunks(expect, attention, x, widths)

    def test_window_in_float16(self, student, probe, expect):
        """A window in float16 gives a finite output in float16, as in float32."""
        inputs = [probe.randn(B, T, DH, dtype=torch.float16) for _ in range(3)]
        output = student.sliding_window_attention(*inputs, 3)
        expect.floats(output, (B, T, DH), what="output")
        expect.dtype(output, torch.float16, what="output")
        wide = student.apart.sliding_window_attention(*(tensor.float() for tensor in inputs), 3)
        expect.close(output, wide, what="output in float16", atol=3e-2)
        moved = student.sliding_window_attention(*inputs[:2], inputs[2] + 1.0, 3)
        expect.close(moved, output + 1.0, what="output after adding 1 to all values", atol=3e-2)


class TestGradients:
    def test_gradient_predicts_the_change(self, probe, expect):
        """The gradient tells how the outputs of `prefill` change when the tokens move a little."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, [T])
        x, direction, probed = (probe.randn(B, T, D) for _ in range(3))
        tracked = x.clone().requires_grad_()
        total = (attention.prefill(tracked) * probed).sum()
        expect_path_back(expect, total, expected="a gradient for the tokens")
        (gradient,) = torch.autograd.grad(total, tracked, materialize_grads=True)
        expect_gradient(expect, gradient, total, expected="outputs that depend on the tokens")
        here, there = (
            (take_in(expect, attention.prefill, x + step * direction) * probed).sum()
            for step in (-1e-3, 1e-3)
        )
        slope = (there - here) / 2e-3
        expect.close((gradient * direction).sum(), slope, what="slope of the output", atol=1e-2)

    def test_gradient_after_another_text(self, probe, expect):
        """The gradient of the tokens is right, also when another text was seen before."""
        pair = probe.pair("KVCacheAttention", D, H)
        in_chunks(expect, pair.student, probe.randn(3, T, D), [4, 3])
        x = probe.randn(B, T, D)
        expect.gradients(pair.student.prefill, pair.reference.prefill, x)

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, student, reference, probe, expect):
        """On tensors drawn for this submission, the gradients of a window are right."""
        expect.gradients(
            student.sliding_window_attention,
            reference.sliding_window_attention,
            probe.randn(B, T, DH),
            probe.randn(B, T, DH),
            probe.randn(B, T, DV),
            3,
        )
