"""a6.sample, hidden criteria: draws, numerics, state.

What is drawn is random and is never asked. How often is counted over so many rows that a right
answer fails with a probability far below one in a billion.
"""

import pytest
import torch

from .. import proofs, reasons

B, T, V = 3, 4, 6
ROWS = 6000
ONE_NUMBER = (
    "sample.one_number_for_all_rows",
    "All rows use one random number: each row is drawn on its own.",
)
GENERATOR_MADE_ANEW = (
    "sample.generator_made_anew",
    "Each call begins with the seed anew: the generator that is given never goes on.",
)


def draw(student, expect, logits, *options, seed=1):
    """Call the student's `sample`; the result is of the right kind, or the check ends."""
    generator = torch.Generator().manual_seed(seed)
    tokens = student.sample(logits, *options, generator=generator)
    expect.shape(tokens, logits.shape[:-1], what="tokens")
    expect.true(
        not tokens.is_floating_point() and bool(((tokens >= 0) & (tokens < V)).all()),
        observed="not every token is a whole number from 0 to V - 1",
        expected="tokens from 0 to V - 1",
    )
    return tokens.long()


def shares_of(tokens):
    """Return how often each token was drawn."""
    return torch.bincount(tokens.flatten(), minlength=V) / tokens.numel()


def expect_something_left(student, expect, logits, top_p):
    """Require probabilities that are no NaN, where tokens are cut off that are too improbable."""

    def why():
        whole = student.sampling_probabilities(logits)
        expect.floats(whole, logits.shape, what="probabilities")
        return reasons.NOTHING_LEFT if bool(whole.isfinite().all()) else None

    found = student.sampling_probabilities(logits, top_p=top_p)
    expect.floats(found, logits.shape, what="probabilities")
    expect.finite(found, what="probabilities", why=why)


class TestDraws:
    @pytest.mark.parametrize("temperature", [1.0, 2.0])
    def test_shares(self, student, probe, expect, temperature):
        """Each token is drawn as often as its probability says."""
        logits = probe.randn(V, scale=2.0)
        tokens = draw(student, expect, logits.expand(ROWS, V), temperature)
        wanted = torch.softmax(logits / temperature, -1)
        # The standard deviation is below 0.0065.
        expect.close(shares_of(tokens), wanted, what="share of each token", atol=0.05)

    @pytest.mark.fresh
    def test_shares_of_a_new_draw(self, student, probe, expect):
        """So it is with logits drawn for this submission, along two axes."""
        logits = probe.randn(V)
        tokens = draw(student, expect, logits.expand(60, ROWS // 60, V), seed=5)
        wanted = torch.softmax(logits, -1)
        expect.close(shares_of(tokens), wanted, what="share of each token", atol=0.05)

    def test_what_is_cut_off_is_never_drawn(self, student, probe, expect):
        """With top_k only the k best are drawn, and all of them; so with top_p, and with both."""
        shares = torch.tensor([0.30, 0.05, 0.25, 0.05, 0.20, 0.15])
        for options in ((1.0, 3), (1.0, None, 0.7), (1.0, 4, 0.7)):
            drawn = shares_of(draw(student, expect, shares.log().expand(ROWS, V), *options))
            wanted = torch.tensor([0.30, 0, 0.25, 0, 0.20, 0]) / 0.75
            expect.close(
                drawn,
                wanted,
                what="share of each token",
                atol=0.06,
                why=lambda drawn=drawn, knobs=options[1:]: proofs.cut_off_and_drawn(drawn, *knobs),
            )

    def test_greedy(self, student, probe, expect):
        """A temperature of 0 takes the best token of each row."""
        logits = probe.randn(B, 50, V)
        tokens = draw(student, expect, logits, 0.0)
        expect.close(tokens, logits.argmax(-1), what="tokens")

    def test_every_row_has_its_own(self, student, probe, expect):
        """A row that leaves one choice gets it, wherever it stands in the batch."""
        for columns in (50, 20):
            only = probe.randint(0, V, (B, columns))
            logits = torch.full((B, columns, V), -torch.inf).scatter(-1, only.unsqueeze(-1), 1.5)
            expect.close(draw(student, expect, logits), only, what="tokens")

    def test_rows_are_drawn_apart(self, student, probe, expect):
        """Two rows alike get different tokens as often as not."""
        logits = torch.full((4000, V), -torch.inf)
        logits[:, 1::4] = 0.0
        tokens = draw(student, expect, logits)
        alike = (tokens[1:] == tokens[:-1]).double().mean()
        expect.close(
            alike,
            torch.tensor(0.5),
            what="share of neighbouring rows alike",
            atol=0.06,
            why=lambda: self.is_one_number(student, expect, logits) and ONE_NUMBER,
        )

    def is_one_number(self, student, expect, logits):
        """Tell whether all rows get the same token in each of many calls, and not always that."""
        calls = [draw(student.apart, expect, logits[:9], seed=seed) for seed in range(20)]
        alike = all(bool((tokens == tokens[0]).all()) for tokens in calls)
        return (alike and len({int(tokens[0]) for tokens in calls}) > 1) or None

    def test_generator(self, student, probe, expect):
        """The same seed gives the same tokens, another seed others, and so does a second call."""
        logits = probe.randn(200, V, scale=0.2)
        first = draw(student, expect, logits, seed=3)
        again = draw(student.apart, expect, logits, seed=3)
        other = draw(student, expect, logits, seed=4)
        expect.close(
            again,
            first,
            what="tokens of a generator with the same seed",
            why=lambda: reasons.CHANCE_BESIDE,
        )
        expect.true(
            not torch.equal(other, first),
            observed="generators with different seeds give the same 200 tokens",
            expected="all chance comes from the generator",
            why=lambda: reasons.CHANCE_ELSEWHERE,
        )
        generator = student.generator(3)
        one, two = (student.sample(logits, generator=generator) for _ in range(2))
        expect.true(
            not torch.equal(one, two),
            observed="two calls with one generator give the same 200 tokens",
            expected="each call draws on from where the last one left the generator",
            why=lambda: GENERATOR_MADE_ANEW,
        )


class TestNumerics:
    def test_impossible_tokens(self, student, reference, probe, expect):
        """A logit of -inf gets probability 0, whatever the knobs."""
        logits = probe.randn(B, T, V)
        logits[..., 2] = -torch.inf
        logits[0, 0, 1:] = -torch.inf
        for options in ((1.5,), (0.0,), (1.0, 4), (1.0, None, 0.8)):
            observed = student.sampling_probabilities(logits, *options)
            expect.floats(observed, logits.shape, what="probabilities")
            expect.true(
                not bool((observed[logits == -torch.inf] > 0).any()),
                observed="a token whose logit is -inf has a probability above 0",
                expected="0, since it is impossible",
                why=lambda: reasons.IMPOSSIBLE_DRAWN,
            )
            expect.matches(
                student.sampling_probabilities, reference.sampling_probabilities, logits, *options
            )

    def test_large_logits(self, student, reference, probe, expect):
        """Logits of thousands give no NaN, and neither does a temperature of a hundredth."""
        logits = probe.randn(B, V, scale=3000.0)
        for options in ((), (0.01,), (0.01, None, 0.5)):
            expect.matches(
                student.sampling_probabilities, reference.sampling_probabilities, logits, *options
            )

    def test_greedy_takes_the_first_of_equals(self, student, expect):
        """Of equally large logits the first one is taken."""
        logits = torch.tensor([[1.0, 3.0, 3.0, 2.0, 3.0, 0.0], [2.0] * V])
        wanted = torch.zeros(2, V)
        wanted[0, 1] = wanted[1, 0] = 1.0
        observed = student.sampling_probabilities(logits, 0.0)
        expect.close(observed, wanted, what="probabilities")

    def test_one_token_always_stays(self, student, reference, probe, expect):
        """The most probable token stays, however small p is, and alone if it is enough."""
        logits = probe.randn(B, T, V)
        for top_p in (1e-9, 0.05):
            expect_something_left(student, expect, logits, top_p)
            expect.matches(
                student.sampling_probabilities,
                reference.sampling_probabilities,
                logits,
                top_p=top_p,
            )

    def test_p_is_met_exactly(self, student, expect):
        """Of tokens alike, as many stay as p needs, or all: which of them is not asked for."""
        observed = student.sampling_probabilities(torch.zeros(B, 4), top_p=0.5)
        expect.floats(observed, (B, 4), what="probabilities")
        ordered = observed.sort(dim=-1, descending=True).values
        is_all = bool((observed.detach() - 0.25).abs().max() < 1e-3)
        wanted = torch.ones(4) / 4 if is_all else torch.tensor([0.5, 0.5, 0.0, 0.0])
        three = torch.tensor([1.0, 1.0, 1.0, 0.0]) / 3

        def why():
            is_one_more = bool((ordered - three).abs().max() < 1e-3)
            return reasons.ONE_MORE_AT_THE_BORDER if is_one_more else None

        what = "probabilities, the largest first"
        expect.close(ordered, wanted.expand(B, 4), what=what, why=why)
        kinds = len(draw(student, expect, torch.zeros(ROWS, 4), 1.0, None, 0.5).unique())
        expect.true(
            kinds in (2, 4),
            observed=f"{kinds} of 4 tokens alike are drawn with a p of a half",
            expected="two of them, or all",
            why=lambda: reasons.ONE_MORE_AT_THE_BORDER if kinds == 3 else None,
        )

    @pytest.mark.parametrize(
        ("top_p", "kept"), [(0.70005, 3), (0.69995, 2)], ids=["little-more", "little-less"]
    )
    def test_border_of_top_p(self, student, expect, top_p, kept):
        """No more tokens stay than p needs, and no fewer, be it met just so or just not."""
        shares = torch.tensor([0.1, 0.4, 0.2, 0.3])
        wanted = shares.where(shares > (0.15 if kept == 3 else 0.25), torch.zeros(4))
        observed = student.sampling_probabilities(shares.log().expand(B, 4), top_p=top_p)
        expect.close(observed, (wanted / wanted.sum()).expand(B, 4), what="probabilities")

    def test_p_of_1_keeps_all(self, student, expect):
        """With a p of 1 nothing is cut off, not even what rounding loses."""
        logits = torch.cat([torch.zeros(V - 1), torch.tensor([-30.0])])
        observed = student.sampling_probabilities(logits.expand(B, V), top_p=1.0)
        wanted = torch.softmax(logits, -1).expand(B, V)
        expect.close(observed, wanted, what="probabilities")
        expect.true(
            bool((observed[:, -1] > 0).all()),
            observed="a token of very small probability gets 0",
            expected="every token keeps its probability",
        )

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=["half", "bfloat16"])
    def test_half_precision(self, student, reference, probe, expect, dtype):
        """Half precision stays half precision, and is finite."""
        logits = probe.randn(B, V, scale=300.0).to(dtype)
        observed = student.sampling_probabilities(logits, 0.001, 4)
        expect.dtype(observed, dtype, what="probabilities")
        wanted = reference.sampling_probabilities(logits, 0.001, 4)
        expect.close(observed.float(), wanted.float(), what="probabilities", atol=1e-2)


class TestState:
    @pytest.mark.parametrize("options", [(0.8, 3, 0.9), (0.0,)], ids=["drawn", "greedy"])
    def test_logits_are_not_modified(self, student, probe, expect, options):
        """The logits are the same after a call as before it."""
        for function in (student.sampling_probabilities, student.sample):
            expect.unchanged(function, probe.randn(B, V), *options)

    @pytest.mark.parametrize(
        ("before", "options"),
        [((0.5, 2), (1.5,)), ((0.0,), (0.0,)), ((1.5, 4, 0.8), (0.9, 4, 0.6))],
        ids=["drawn", "greedy", "cut"],
    )
    def test_nothing_is_kept_of_earlier_calls(self, student, probe, expect, before, options):
        """What a call gives does not depend on the calls before it."""
        expect.starts_anew(
            student.sampling_probabilities,
            expect.call(probe.randn(B, V), *before),
            expect.call(probe.randn(B, V), *options),
        )
