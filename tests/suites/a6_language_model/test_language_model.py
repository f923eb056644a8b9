"""a6.language_model, hidden criteria: cache, masking, relative, state, numerics, gradients,
learning.

A student's module is compared with itself, in one piece and in several: a wrong scale costs
`outputs` and nothing here.
"""

import pytest
import torch
from torch.nn import functional as F

from .. import proofs
from ..expectations import (
    expect_gradient,
    expect_hidden_from_low_scores,
    expect_path_back,
    expect_same_in_chunks,
)
from ..token_tables import expect_every_token_learns, tables_of

B, H, G, T, D, VOCABULARY, WINDOW = 3, 4, 2, 9, 24, 11, 5
ATTENTION = 2 * (D * D + D) + 2 * (D * D * G // H + D * G // H)
"""Queries and what comes out are as wide as a token, keys and values half as wide."""
BLOCK = ATTENTION + 2 * 4 * D * D + 5 * D + 2 * 2 * D
MODEL = VOCABULARY * D + 2 * D + D * VOCABULARY + VOCABULARY


def build(probe, dtype=torch.float64):
    """Return the student's attention, all its weights drawn by us."""
    return probe.module("TextAttention", D, H, G, WINDOW, dtype=dtype)


def build_model(probe, depth=2):
    """Return the student's model, all its weights drawn by us."""
    return probe.module("LanguageModel", VOCABULARY, D, depth, H, G, WINDOW)


def take_in(expect, method, x):
    """Call `prefill` or `step`; the answer has the right shape and no NaN, or the check ends."""
    with torch.no_grad():
        output = method(x)
    shape = x.shape if x.is_floating_point() else (*x.shape, VOCABULARY)
    expect.floats(output, shape, what="output")
    expect.finite(output, what="output")
    return output


def in_chunks(expect, module, x, widths):
    """Return the answers of `prefill` to the first chunk and of `step` to each other one."""
    first, *others = x.split(widths, dim=1)
    answers = [take_in(expect, module.prefill, first)]
    answers += [take_in(expect, module.step, chunk) for chunk in others]
    return torch.cat(answers, dim=1)


def moved(one, other):
    """Return for each sample and token whether the two differ, (B, T)."""
    return (one - other).abs().amax(-1) > 1e-9


def expect_look_back(probe, expect, attention, widths=(T - 1, 1)):
    """The last output depends on the oldest token in its window and on its own, or the check ends:
    what does not come from the tokens is the same however they come."""
    x = probe.randn(B, T, D, scale=0.3)  # small scores: no weight is near zero
    before = in_chunks(expect, attention, x, widths)[:, -1]
    again = in_chunks(expect, attention.apart, x, widths)[:, -1]
    expect.close(again, before, what="output of the same tokens once more", atol=1e-5)
    for place in (T - WINDOW, T - 1):
        changed = x.clone()
        changed[:, place] += 1.0
        after = in_chunks(expect, attention, changed, widths)[:, -1]
        expect.true(
            bool(((after - before).abs().amax(-1) > 1e-4).all()),
            observed=f"the last of {T} outputs does not depend on token {place}",
            expected="every output depends on all tokens in its window",
        )


def expect_reading(probe, expect, model):
    """The logits are about the tokens, or the check ends."""
    numbers = probe.randint(0, VOCABULARY, (B, T))
    other = (numbers + 1 + probe.randint(0, VOCABULARY - 1, (B, T))) % VOCABULARY
    before, after = (in_chunks(expect, model, text, [T - 1, 1]) for text in (numbers, other))
    expect.true(
        bool(moved(before, after).all()),
        observed="the logits do not depend on the tokens",
        expected="other logits for other tokens",
    )


class TestCache:
    @pytest.mark.parametrize("widths", [[1] * T, [6, 2, 1], [1, 8], [2, 3, 4]], ids=str)
    def test_any_chunks_give_the_same(self, probe, expect, widths):
        """However a text is cut into chunks, the outputs are those of the whole."""
        attention = build(probe)
        expect_look_back(probe, expect, attention)
        x = probe.randn(B, T, D)
        what = f"outputs in chunks of {widths}"
        expect_same_in_chunks(expect, in_chunks, attention, x, widths, what)

    @pytest.mark.parametrize("widths", [[1] * T, [4, 3, 2]], ids=str)
    def test_any_chunks_give_the_same_logits(self, probe, expect, widths):
        """However a text is cut into chunks, the logits of a model are those of the whole."""
        model = build_model(probe)
        expect_reading(probe, expect, model)
        numbers = probe.randint(0, VOCABULARY, (B, T))
        what = f"logits in chunks of {widths}"
        expect_same_in_chunks(expect, in_chunks, model, numbers, widths, what)

    def test_prefill_forgets(self, probe, expect):
        """After another text, of another batch size, `prefill` begins anew."""
        attention = build(probe)
        expect_look_back(probe, expect, attention)
        for batch in (B, 5):
            x = probe.randn(B, T, D)
            before = in_chunks(expect, attention, x, [4, 5])
            in_chunks(expect, attention.apart, probe.randn(batch, 3, D), [2, 1])
            after = in_chunks(expect, attention.apart, x, [4, 5])
            expect.close(after, before, what=f"outputs after a batch of {batch}", atol=1e-5)

    def test_a_model_forgets(self, probe, expect):
        """After another text a model begins anew, with `prefill` and when it is called itself."""
        model = build_model(probe)
        expect_reading(probe, expect, model)
        numbers = probe.randint(0, VOCABULARY, (B, T))
        before = take_in(expect, model.prefill, numbers)
        again = model.apart
        for method in (again.prefill, again):
            in_chunks(expect, again, probe.randint(0, VOCABULARY, (B, 4)), [3, 1])
            after = take_in(expect, method, numbers)
            expect.close(after, before, what="logits after another text", atol=1e-5)

    def test_two_modules_stay_apart(self, probe, expect):
        """What one module has seen is not known to another one."""
        one, other = build(probe), build(probe)
        expect_look_back(probe, expect, one)
        x = probe.randn(B, T, D)
        whole = take_in(expect, one.prefill, x)
        one, other = one.apart, other.apart
        start = take_in(expect, one.prefill, x[:, :4])
        in_chunks(expect, other, probe.randn(B, T, D), [3, 6])
        rest = take_in(expect, one.step, x[:, 4:])
        expect.close(torch.cat([start, rest], dim=1), whole, what="outputs", atol=1e-5)

    @pytest.mark.parametrize("role", ["W_key", "W_value"])
    def test_nothing_old_is_computed_again(self, probe, expect, role):
        """When the weights change, what was computed from old tokens stays."""
        pair = probe.pair("TextAttention", D, H, G, WINDOW)
        attention = pair.student
        expect_look_back(probe, expect, attention)
        x = probe.randn(B, T, D)
        outputs = take_in(expect, attention.prefill, x)[:, -1:]
        take_in(expect, attention.apart.prefill, x[:, :-1])
        # A change that only old tokens feel: its rows are orthogonal to the new ones.
        basis, _ = torch.linalg.qr(x[:, -1].T)  # D B
        weight = getattr(pair.reference, role).weight.detach()
        change = probe.randn(*weight.shape)
        pair.write({f"{role}.weight": weight + change - change @ basis @ basis.T})
        step = take_in(expect, attention.apart.step, x[:, -1:])
        what = "output after a change that only old tokens feel"
        expect.close(step, outputs, what=what, atol=1e-5)


def why_others_are_seen(expect, attention, x, widths):
    """Return the reason for which tokens see others than the window lets them, or None."""
    seen = proofs.seen_by_token(lambda tokens: in_chunks(expect, attention, tokens, widths), x)
    return proofs.window_reading(seen, WINDOW)


class TestMasking:
    @pytest.mark.parametrize("widths", [[T], [3, 6], [8, 1]], ids=str)
    def test_who_is_seen(self, probe, expect, widths):
        """Every token sees itself and the window - 1 tokens before it, and no other."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, widths)
        x = probe.randn(B, T, D, scale=0.3)
        before = in_chunks(expect, attention, x, widths)
        for place in range(T):
            changed = x.clone()
            changed[:, place] += 1.0
            seen = moved(in_chunks(expect, attention.apart, changed, widths), before)
            wanted = [place <= i < place + WINDOW for i in range(T)]
            expect.true(
                bool((seen == torch.tensor(wanted)).all()),
                observed=f"token {place} is seen by the tokens {_named(seen.any(0).tolist())}",
                expected=f"with a window of {WINDOW}, by the tokens {_named(wanted)}",
                why=lambda: why_others_are_seen(expect, attention, x, widths),
            )

    def test_a_window_of_one(self, probe, expect):
        """With a window of 1 a token only sees itself: its output is that of a text of one."""
        attention = probe.module("TextAttention", D, H, G, 1, dtype=torch.float64)
        x = probe.randn(B, T, D)
        outputs = in_chunks(expect, attention, x, [4, 5])
        expect.true(
            bool(moved(outputs[:, 1:], outputs[:, :1]).all() and moved(outputs, x).all()),
            observed="the outputs do not depend on the tokens",
            expected="an output for each token, made of its value",
        )
        alone = take_in(expect, attention.apart.prefill, x.reshape(B * T, 1, D))
        expect.close(outputs, alone.reshape(B, T, D), what="outputs with a window of 1", atol=1e-5)

    def test_logits_do_not_know_the_next_token(self, probe, expect):
        """No logits depend on a later token, and two layers look back over two windows."""
        model = build_model(probe)
        expect_reading(probe, expect, model)
        numbers = probe.randint(0, VOCABULARY, (B, 2 * T))
        before = take_in(expect, model.prefill, numbers)
        for place in range(0, 2 * T, 4):
            changed = numbers.clone()
            changed[:, place] = (changed[:, place] + 1) % VOCABULARY
            seen = moved(take_in(expect, model.apart.prefill, changed), before)
            wanted = [place <= i < place + 2 * WINDOW - 1 for i in range(2 * T)]
            expect.true(
                bool((seen == torch.tensor(wanted)).all()),
                observed=f"token {place} changes the logits at {_named(seen.any(0).tolist())}",
                expected=f"with two windows of {WINDOW}, those at {_named(wanted)}",
            )

    @pytest.mark.parametrize("widths", [[4], [1, 3]], ids=["at-once", "in-a-step"])
    def test_future_stays_hidden_from_low_scores(self, probe, expect, widths):
        """No output depends on a later token even where a token's own scores are very low."""
        attention = build(probe)
        expect_look_back(probe, expect, attention)
        # Among 64 samples and some heads, all scores that count are often below -10,000.
        x, other = probe.randn(64, 4, D, scale=400.0), probe.randn(64, 4, D, scale=400.0)
        expect_hidden_from_low_scores(expect, in_chunks, attention, x, other, widths)


class TestRelative:
    @pytest.mark.parametrize("widths", [[T], [1] * T], ids=str)
    def test_where_the_text_began_does_not_matter(self, probe, expect, widths):
        """An output is that of its window alone, however many tokens stood before it."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, widths)
        x = probe.randn(B, T, D)
        last = in_chunks(expect, attention, x, widths)[:, -1:]
        alone = take_in(expect, attention.apart.prefill, x[:, -WINDOW:])[:, -1:]
        expect.close(last, alone, what="output of a token with its window alone", atol=1e-5)

    def test_a_model_adds_no_positions(self, probe, expect):
        """The logits of a token are those of what its layers look back on, wherever that began."""
        model = build_model(probe)
        expect_reading(probe, expect, model)
        back = 2 * WINDOW - 1  # of two layers
        numbers = probe.randint(0, VOCABULARY, (B, back + 4))
        last = take_in(expect, model.prefill, numbers)[:, -1:]
        alone = take_in(expect, model.apart.prefill, numbers[:, -back:])[:, -1:]

        def why():
            attention, x = build(probe), probe.randn(B, T, D)
            outputs = [
                take_in(expect, attention.prefill, tokens)[:, -1] for tokens in (x, x[:, -WINDOW:])
            ]
            changed = numbers.clone()
            changed[:, :-back] = (changed[:, :-back] + 1) % VOCABULARY
            after = take_in(expect, model.prefill, changed)[:, -1]
            return proofs.beside_the_attention(tuple(outputs), (last[:, 0], after))

        # Some compute angles in float32, which rounds them otherwise at other positions.
        what = "logits with what they look back on alone"
        expect.close(last, alone, what=what, atol=1e-4, why=why)

    def test_places_count(self, probe, expect):
        """The same earlier tokens in another order give another output."""
        attention = build(probe)
        expect_look_back(probe, expect, attention)
        x = probe.randn(B, WINDOW, D)
        turned = torch.cat([x[:, :-1].flip(1), x[:, -1:]], dim=1)
        for widths in ([WINDOW], [WINDOW - 1, 1]):
            before = in_chunks(expect, attention, x, widths)[:, -1:]
            after = in_chunks(expect, attention.apart, turned, widths)[:, -1:]
            expect.true(
                bool(((after - before).abs().amax(-1) > 1e-4).all()),
                observed="the order of earlier tokens does not matter",
                expected="an output that depends on where a token stands",
            )


class TestState:
    def test_number_of_parameters(self, student, expect):
        """Attention and model have as many parameters as their parts need; each block its own."""
        for module, expected in (
            (student.TextAttention(D, H, G, WINDOW), ATTENTION),
            (student.LanguageModel(VOCABULARY, D, 3, H, G, WINDOW), MODEL + 3 * BLOCK),
        ):
            count = sum(parameter.numel() for parameter in module.parameters())
            expect.true(
                count == expected, observed=f"{count} numbers", expected=f"{expected} numbers"
            )

    def test_two_models_share_no_weights(self, probe, expect):
        """A model that is made later leaves the weights of an earlier one as they are."""
        expect.separate(lambda: build_model(probe), probe.randint(0, VOCABULARY, (B, T)))

    @pytest.mark.parametrize("groups", [(1, 4), (4, 2)], ids=str)
    def test_sizes_are_a_modules_own(self, student, probe, expect, groups):
        """Attentions with other numbers of groups stand side by side, and each keeps its own."""
        x = probe.randn(B, T, D)
        for g in groups:
            attention = probe.module("TextAttention", D, H, g, WINDOW)
            whole = take_in(expect, attention.prefill, x)
            pieces = in_chunks(expect, attention.apart, x, [4, 5])
            expect.close(pieces, whole, what="output", atol=1e-5)
        for g in groups:
            module = student.TextAttention(D, H, g, WINDOW)
            count = sum(parameter.numel() for parameter in module.parameters())
            expected = ATTENTION + 2 * (D * D + D) * (g - G) // H
            expect.true(
                count == expected,
                observed=f"{count} numbers with {g} groups",
                expected=f"{expected} numbers",
            )

    def test_the_cache_is_not_part_of_the_state(self, probe, expect):
        """What was seen is not in the state_dict."""
        attention = build(probe)
        before = sorted(attention.state())
        in_chunks(expect, attention, probe.randn(B, T, D), [4, 5])
        added = sorted(set(attention.state()) - set(before))
        size = sum(value.numel() for value in attention.state().values())
        expect.true(
            not added and size < ATTENTION + D * D,
            observed=f"a state_dict of {size} numbers, with {', '.join(added) or 'nothing'} new",
            expected="the four linear maps and nothing that was seen",
            why=lambda: proofs.cache_in_the_state(
                (value for name, value in attention.state().items() if name in added), B * D
            ),
        )

    def test_state_dict_is_the_whole_state(self, probe, expect):
        """A second model that loads the first one's state_dict gives the same logits."""
        first, second = build_model(probe), build_model(probe)
        numbers = probe.randint(0, VOCABULARY, (B, T))
        state, wanted = first.state(), take_in(expect, first.prefill, numbers)
        expect.true(
            bool(moved(take_in(expect, second.prefill, numbers), wanted).all()),
            observed="the logits do not depend on the weights",
            expected="different logits for different weights",
        )
        second.load(state)
        observed = take_in(expect, second.apart.prefill, numbers)
        expect.close(observed, wanted, what="logits", atol=1e-6)

    @pytest.mark.parametrize("method", ["prefill", "step"])
    def test_tokens_are_not_modified(self, probe, expect, method):
        """The tokens are the same after the call as before it."""
        attention = build(probe)
        x = probe.randn(B, T, D)
        take_in(expect, attention.prefill, x)
        output = expect.unchanged(getattr(attention, method), x)
        expect.shape(output, x.shape, what="output")


class TestNumerics:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["float16", "bfloat16"])
    def test_dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` outputs are finite and have that dtype, in pieces as in one."""
        attention = build(probe, dtype=torch.float32)
        expect_look_back(probe, expect, attention.to(torch.float64), [T])
        attention.to(dtype)
        x = probe.randn(B, T, D, dtype=dtype)
        for widths in ([T], [6, 2, 1]):
            output = in_chunks(expect, attention, x, widths)
            expect.dtype(output, dtype, what=f"output in chunks of {widths}")

    def test_huge_scores(self, probe, expect):
        """Scores in the thousands give finite outputs, in pieces as in one."""
        attention = build(probe)
        expect_look_back(probe, expect, attention, [T])
        x = probe.randn(B, T, D, scale=100.0)
        for widths in ([T], [6, 2, 1]):
            in_chunks(expect, attention, x, widths)


class TestGradients:
    def test_every_token_learns(self, probe, expect):
        """The vector of every token that is read gets a gradient, that of token 0 too."""
        model = build_model(probe)
        tables = tables_of(model, VOCABULARY)
        numbers = (torch.arange(B * T) % VOCABULARY).view(B, T)
        logits = model(numbers)
        expect.floats(logits, (B, T, VOCABULARY), what="logits")
        expect_every_token_learns(probe, expect, tables, logits, "model.token_0_is_padding")

    def test_every_weight_learns(self, probe, expect):
        """Every weight of a model gets a gradient that is finite and not zero."""
        model = build_model(probe)
        # No softmax feels a number that is added to all scores of a row. A bias may have any name,
        # and an axis for heads: it is no larger than a token, and a matrix is.
        parameters = {
            n: p for n, p in model.named_parameters() if p.numel() > D or n.endswith("weight")
        }
        numbers = probe.randint(0, VOCABULARY, (B, T))
        logits = model(numbers)
        expect.floats(logits, (B, T, VOCABULARY), what="logits")
        expect_path_back(expect, logits, expected="a gradient for every weight")
        total = (logits * probe.randn(B, T, VOCABULARY)).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), materialize_grads=True)
        for name, gradient in zip(parameters, gradients, strict=True):
            expect_gradient(
                expect, gradient, total, name=name, expected="a gradient for every weight"
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tensors drawn for this submission, all gradients are right, after another text too."""
        pair = probe.pair("TextAttention", D, H, G, WINDOW)
        in_chunks(expect, pair.student, probe.randn(2, T, D), [4, 5])
        expect.gradients(pair.student.prefill, pair.reference.prefill, probe.randn(B, T, D))


class TestLearning:
    def test_texts_that_repeat_are_learned(self, student, probe, expect):
        """A few steps on texts that repeat themselves bring the loss well below guessing."""
        model = student.LanguageModel(VOCABULARY, D, 2, H, G, WINDOW)
        optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
        period = probe.randint(0, VOCABULARY, (16, 3))
        numbers, losses = period.repeat(1, 3), []
        for _ in range(12):
            logits = model(numbers[:, :-1])
            expect.floats(logits, (16, T - 1, VOCABULARY), what="logits")
            loss = F.cross_entropy(logits.flatten(0, 1), numbers[:, 1:].flatten())
            expect_path_back(expect, loss, expected="logits that learn")
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        expect.true(
            losses[-1] < 0.6 * min(losses[0], 2.398),
            observed=f"the loss goes from {losses[0]:.2f} to {losses[-1]:.2f}",
            expected="a loss far below that of guessing",
        )


def _named(seen):
    return ", ".join(str(place) for place, is_seen in enumerate(seen) if is_seen) or "none"
