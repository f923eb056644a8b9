"""a6.generate, public criteria: shapes and values.

The model is ours: its logits depend on all tokens so far and on their order.
"""

import itertools

import pytest
import torch

B, T, V, LENGTH = 3, 4, 7, 9
TABLE = torch.linspace(-3.0, 3.0, V).sin() * 2  # V
WAVES = torch.linspace(0.5, 4.0, V)  # V


class Model:
    """A model that remembers what it has seen, for those who call it in pieces."""

    def __init__(self, expect):
        self.expect = expect
        self.total, self.places = 0.0, 0
        self.logits = None

    def whole(self, tokens):
        """Return logits (B, T, V) of a whole text."""
        self.total, self.places = 0.0, 0
        return self.more(tokens)

    def more(self, tokens):
        """Return logits (B, t, V) of the next tokens."""
        expect = self.expect
        expect.shape(tokens, (B, tokens.shape[-1]), what="what the model is called with")
        place = torch.arange(tokens.shape[1]) + self.places + 1
        totals = self.total + (TABLE[tokens.long() % V] * place).cumsum(1)  # B t
        self.total, self.places = totals[:, -1:], int(place[-1])
        self.logits = torch.cos(totals.unsqueeze(-1) * WAVES)  # B t V
        return self.logits.clone()


def run(definitions, name, model, tokens, *rest):
    """Call `generate` or `generate_cached` with what it needs of the model."""
    functions = (model.whole,) if name == "generate" else (model.whole, model.more)
    return getattr(definitions, name)(*functions, tokens, *rest)


def best(logits):
    return logits.argmax(-1)


BOTH = pytest.mark.parametrize("name", ["generate", "generate_cached"])


class TestShapes:
    @BOTH
    @pytest.mark.parametrize("length", [LENGTH, T + 1], ids=["usual", "one-more"])
    def test_text(self, student, probe, expect, name, length):
        """The text has context_length tokens, and they are of the dtype of the beginning."""
        tokens = probe.randint(0, V, (B, T))
        text = run(student, name, Model(expect), tokens, best, length)
        expect.shape(text, (B, length), what="text")
        expect.dtype(text, torch.int64, what="text")

    @BOTH
    def test_dtype(self, student, probe, expect, name):
        """Tokens in int32 give a text in int32, also if what is chosen is int64."""
        tokens = probe.randint(0, V, (B, T)).int()
        text = run(student, name, Model(expect), tokens, best, LENGTH)
        expect.dtype(text, torch.int32, what="text")

    @BOTH
    def test_too_long(self, student, probe, expect, name):
        """A beginning of more than context_length tokens is a ValueError that names both."""
        model, tokens = Model(expect), probe.randint(0, V, (B, 12))
        functions = (model.whole,) if name == "generate" else (model.whole, model.more)
        function = getattr(student, name)
        expect.raises(ValueError, function, *functions, tokens, best, 11, mentions=("12", "11"))


class TestOutputs:
    @BOTH
    def test_greedy_text(self, student, reference, probe, expect, name):
        """With the best token at each place, the text is the reference's."""
        tokens = probe.randint(0, V, (B, T))
        text = run(student, name, Model(expect), tokens, best, LENGTH)
        wanted = run(reference, name, Model(expect), tokens, best, LENGTH)
        expect.close(text, wanted, what="text")

    @BOTH
    def test_beginning_of_one_token(self, student, reference, expect, name):
        """A text can begin with a single token."""
        tokens = torch.tensor([[1], [4], [6]])
        text = run(student, name, Model(expect), tokens, best, LENGTH + 3)
        wanted = run(reference, name, Model(expect), tokens, best, LENGTH + 3)
        expect.close(text, wanted, what="text")

    @BOTH
    def test_chosen_tokens(self, student, probe, expect, name):
        """What `choose` returns is appended, place by place, and it gets the logits (B, V)."""
        tokens, script = probe.randint(0, V, (B, T)), iter(probe.randint(0, V, (40, B)))
        model, written = Model(expect), []

        def choose(logits):
            expect.floats(logits, (B, V), what="what choose is called with")
            expect.close(logits, model.logits[:, -1], what="what choose is called with")
            written.append(next(script))
            return written[-1]

        text = run(student, name, model, tokens, choose, LENGTH)
        expect.true(written, "`choose` is never called", "a call of it for every token appended")
        wanted = torch.cat([tokens, torch.stack(written[: LENGTH - T], dim=1)], dim=1)
        expect.close(text, wanted, what="text")

    @BOTH
    def test_end_token(self, student, expect, name):
        """A text that has ended is filled up with end_token, and the others go on."""
        tokens = torch.ones(B, 2, dtype=torch.int64)
        script = torch.tensor([[2, 3, 4], [0, 3, 4], [5, 3, 0], [5, 2, 6], [1, 0, 1], [3, 3, 3]])
        rows = itertools.chain(script, itertools.repeat(script[-1]))  # some texts never end
        text = run(student, name, Model(expect), tokens, lambda logits: next(rows), LENGTH, 0)
        wanted = torch.tensor([[1, 1, 2, 0, 0, 0, 0], [1, 1, 3, 3, 3, 2, 0], [1, 1, 4, 4, 0, 0, 0]])
        expect.close(text, wanted, what="text")
