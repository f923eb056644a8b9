"""a6.generate, hidden criteria: stopping, cache, state.

The model is ours, and counts how it is called.
"""

import itertools

import pytest
import torch

from .. import reasons

B, T, V, LENGTH = 2, 5, 6, 11
TABLE = torch.linspace(-2.0, 4.0, V).sin() * 3  # V
WAVES = torch.linspace(0.7, 3.1, V)  # V


class Model:
    """A model that remembers what it has seen, and how it was called."""

    def __init__(self, expect, rows=B):
        self.expect, self.rows = expect, rows
        self.total, self.places = 0.0, 0
        self.calls = []
        self.learning = False

    def whole(self, tokens):
        """Return logits (B, T, V) of a whole text."""
        self.total, self.places = 0.0, 0
        return self._logits("whole", tokens)

    def more(self, tokens):
        """Return logits (B, t, V) of the next tokens."""
        return self._logits("more", tokens)

    def _logits(self, name, tokens):
        expect = self.expect
        expect.shape(tokens, (self.rows, tokens.shape[-1]), what="what the model is called with")
        self.calls.append((name, tokens.shape[-1]))
        self.learning = self.learning or torch.is_grad_enabled()
        place = torch.arange(tokens.shape[1]) + self.places + 1
        totals = self.total + (TABLE[tokens.long() % V] * place).cumsum(1)  # B t
        self.total, self.places = totals[:, -1:], int(place[-1])
        return torch.cos(totals.unsqueeze(-1) * WAVES)  # B t V


def run(definitions, name, model, tokens, *rest):
    """Call `generate` or `generate_cached` with what it needs of the model."""
    functions = (model.whole,) if name == "generate" else (model.whole, model.more)
    return getattr(definitions, name)(*functions, tokens, *rest)


def best(logits):
    return logits.argmax(-1)


def following(script):
    """Return a `choose` that takes its tokens from a table (places, B), at last its last row."""
    table = torch.tensor(script)
    rows = itertools.chain(table, itertools.repeat(table[-1]))
    return lambda logits: next(rows)


def is_token_by_token(calls):
    """Tell whether the beginning went in as `generate_cached` asks of what comes after it."""
    one = {count for _, count in calls} == {1}
    return one and [name for name, _ in calls] == ["whole"] + ["more"] * (LENGTH - 2)


BOTH = pytest.mark.parametrize("name", ["generate", "generate_cached"])


class TestStopping:
    @BOTH
    def test_full_beginning(self, student, probe, expect, name):
        """A beginning that fills all places comes back as it is, and the model is not run."""
        model, tokens = Model(expect), probe.randint(0, V, (B, LENGTH))
        text = run(student, name, model, tokens, best, LENGTH)
        expect.close(text, tokens, what="text")
        expect.true(
            not model.calls, observed="the model was run", expected="no run: there is no room"
        )

    @BOTH
    def test_all_ended(self, student, expect, name):
        """Once every text has ended, nothing more is written."""
        model, tokens = Model(expect), torch.full((B, 3), 2)
        script = [[1, 5], [4, 1], [1, 1], [3, 3], [3, 3], [3, 3], [3, 3], [3, 3]]
        text = run(student, name, model, tokens, following(script), LENGTH, 5)
        expect.shape(text, (B, LENGTH), what="text")
        script = [[1, 5], [4, 1], [5, 1], [3, 3], [3, 3], [3, 3], [3, 3], [3, 3]]
        text = run(student, name, Model(expect), tokens, following(script), LENGTH, 5)
        wanted = torch.tensor([[2, 2, 2, 1, 4, 5], [2, 2, 2, 5, 5, 5]])

        def why():
            endless = run(student, name, Model(expect), tokens, following(script), LENGTH)
            is_same = endless.shape == text.shape and torch.equal(endless, text)
            return reasons.END_WITHOUT_EFFECT if is_same else None

        expect.close(text, wanted, what="text", why=why)

    @BOTH
    def test_all_end_at_once(self, student, expect, name):
        """Texts that choose end_token in the same turn are complete, and returned."""
        tokens = torch.full((B, 3), 2)
        text = run(student, name, Model(expect), tokens, following([[1, 4], [5, 5]]), LENGTH, 5)
        expect.close(text, torch.tensor([[2, 2, 2, 1, 5], [2, 2, 2, 4, 5]]), what="text")

    @BOTH
    def test_end_in_the_beginning(self, student, expect, name):
        """An end_token in the beginning ends nothing, not even as its last token."""
        tokens = torch.tensor([[3, 3, 1], [3, 1, 3]])
        script = [[1, 2], [2, 1], [1, 4], [4, 2], [1, 1], [2, 2], [4, 4], [0, 1]]
        text = run(student, name, Model(expect), tokens, following(script), LENGTH, 3)
        expect.close(text, torch.cat([tokens, torch.tensor(script).T], dim=1), what="text")

    @BOTH
    def test_no_end(self, student, expect, name):
        """Without an end_token no text ends, whatever is written."""
        tokens = torch.tensor([[0, 1, 2], [2, 1, 0]])
        script = [[0, 5], [0, 1], [1, 4], [5, 2], [0, 0], [0, 0], [4, 4], [0, 1]]
        text = run(student, name, Model(expect), tokens, following(script), LENGTH)
        expect.close(text, torch.cat([tokens, torch.tensor(script).T], dim=1), what="text")

    @BOTH
    def test_end_token_0(self, student, expect, name):
        """The token 0 can be the end_token."""
        script = [[4, 0], [0, 3], [3, 3], [3, 3], [3, 3], [3, 3], [3, 3], [3, 3], [3, 3]]
        tokens = torch.full((B, 2), 1)
        text = run(student, name, Model(expect), tokens, following(script), LENGTH, 0)
        wanted = torch.tensor([[1, 1, 4, 0], [1, 1, 0, 0]])
        expect.close(text, wanted, what="text")


class TestCache:
    def test_calls(self, student, reference, probe, expect):
        """`prefill` gets the whole beginning, once, and each `step` one new token."""
        model, tokens = Model(expect), probe.randint(0, V, (B, T))
        text = run(student, "generate_cached", model, tokens, best, LENGTH)
        wanted = run(reference, "generate_cached", Model(expect), tokens, best, LENGTH)
        expect.close(text, wanted, what="text")
        runs, read = len(model.calls), sum(count for _, count in model.calls)
        calls = [("whole", T), *[("more", 1)] * (LENGTH - T - 1)]
        needed = len(calls)
        expect.true(
            model.calls == calls,
            observed=f"{runs} runs over {read} tokens",
            expected=f"{needed} runs: the beginning, then one token each, but the last",
            why=lambda: reasons.TOKEN_BY_TOKEN if is_token_by_token(model.calls) else None,
        )

    def test_calls_without_a_cache(self, student, reference, probe, expect):
        """Without a cache the model gets the whole text, once for each new place."""
        model, tokens = Model(expect), probe.randint(0, V, (B, T))
        text = run(student, "generate", model, tokens, best, LENGTH)
        wanted = run(reference, "generate", Model(expect), tokens, best, LENGTH)
        expect.close(text, wanted, what="text")
        runs, read = len(model.calls), sum(count for _, count in model.calls)
        calls = [("whole", length) for length in range(T, LENGTH)]
        needed, most = len(calls), LENGTH - 1
        expect.true(
            model.calls == calls,
            observed=f"{runs} runs over {read} tokens",
            expected=f"{needed} runs over texts of {T} to {most} tokens",
        )

    @pytest.mark.fresh
    def test_both_ways_write_the_same(self, student, reference, probe, expect):
        """On a beginning drawn for this submission, both ways write the reference's text."""
        tokens = probe.randint(0, V, (4, T))
        wanted = run(reference, "generate", Model(expect, 4), tokens, best, LENGTH, 1)
        for name in ("generate", "generate_cached"):
            text = run(student, name, Model(expect, 4), tokens, best, LENGTH, 1)
            expect.close(text, wanted, what="text")


class TestState:
    @BOTH
    def test_nothing_is_learned(self, student, reference, probe, expect, name):
        """The model is run without gradients."""
        model, tokens = Model(expect), probe.randint(0, V, (B, T))
        text = run(student, name, model, tokens, best, LENGTH)
        wanted = run(reference, name, Model(expect), tokens, best, LENGTH)
        expect.close(text, wanted, what="text")
        expect.true(
            bool(model.calls) and not model.learning,
            observed="the model is run with gradients, or not at all",
            expected="every run under torch.no_grad()",
        )

    @BOTH
    def test_beginning_is_not_modified(self, student, probe, expect, name):
        """The beginning is the same after the call as before it."""
        model, function = Model(expect), getattr(student, name)
        tokens = probe.randint(0, V, (B, T))
        functions = (model.whole,) if name == "generate" else (model.whole, model.more)
        expect.unchanged(function, *functions, tokens, best, LENGTH)

    @BOTH
    def test_another_batch(self, student, reference, probe, expect, name):
        """A later call may have another number of texts: none is ended by an earlier call."""
        for rows in (B, B + 2):
            tokens = probe.randint(0, V, (rows, T))
            text = run(student, name, Model(expect, rows), tokens, best, LENGTH, 1)
            wanted = run(reference, name, Model(expect, rows), tokens, best, LENGTH, 1)
            expect.close(text, wanted, what="text")
