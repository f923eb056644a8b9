"""a6.training_step, hidden criteria: padding, clipping, learning, state.

The models are small ones of torch's own layers, made in the student's process.
"""

import pytest
import torch
from torch import nn

from .. import proofs, reasons

B, T, V, D = 4, 6, 5, 3


def row_of(model):
    """Return all parameters as one row of numbers."""
    parameters = dict(model.named_parameters())
    return torch.cat([parameters[name].detach().flatten() for name in sorted(parameters)])


def numbers(expect, *values):
    """Return the values as one row, or end the check: all of them have to be numbers."""
    expect.true(
        all(isinstance(value, float | int) or _is_number(value) for value in values),
        observed="no number",
        expected="a number",
    )
    return torch.tensor([float(value) for value in values], dtype=torch.float64)


def _is_number(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.shape == ()


def models(student, probe, scale=1.0):
    """Return a model in the student's process and one here, with the same drawn weights."""
    ours = nn.Sequential(nn.Embedding(V, D), nn.Linear(D, V)).double()
    drawn = {name: probe.randn(*p.shape, scale=scale) for name, p in ours.named_parameters()}
    ours.load_state_dict(drawn)
    theirs = student.nn.Sequential(student.nn.Embedding(V, D), student.nn.Linear(D, V))
    theirs.prepare(drawn, torch.float64, True)
    return theirs, ours


def texts(probe, *lengths):
    """Return texts (B, T) of these lengths, filled up with -1."""
    tokens = probe.randint(0, V, (B, T))
    for row, length in zip(tokens, lengths, strict=False):
        row[length:] = -1
    return tokens


def both_step(student, reference, pair, tokens, *options, lr=0.5):
    """Take one step there and one here; return both losses and both rows of parameters."""
    theirs, ours = pair
    there = student.optim.SGD(theirs, lr=lr)
    here = torch.optim.SGD(ours.parameters(), lr=lr)
    observed = student.training_step(theirs, there, tokens, *options)
    wanted = reference.training_step(ours, here, tokens, *options)
    return (observed, row_of(theirs)), (wanted, row_of(ours))


class TestPadding:
    def test_what_the_model_is_given(self, student, probe, expect):
        """The model is given tokens alone, and what stands in for a missing one does not count."""
        table = probe.randn(V, V)
        tokens = texts(probe, 3, 6, 2, 5)

        def model(given):
            expect.shape(given, (B, given.shape[-1]), what="what the model is called with")
            expect.true(
                bool(((given >= 0) & (given < V)).all()),
                observed="the model is called with a number that is no token",
                expected="tokens from 0 to V - 1",
            )
            return table[given.long()]

        rows, places = (tokens[:, 1:] >= 0).nonzero(as_tuple=True)
        shares = torch.log_softmax(table[tokens[rows, places]], dim=-1)
        wanted = -shares[torch.arange(len(rows)), tokens[rows, places + 1]].mean()
        expect.close(student.next_token_loss(model, tokens), wanted, what="loss")

    def test_token_0_is_a_token(self, student, reference, probe, expect):
        """The token 0 is an answer like any other."""
        theirs, ours = models(student, probe)
        tokens = torch.tensor([[1, 0, 0, 3], [0, 2, 0, -1]])
        observed = student.next_token_loss(theirs, tokens)
        expect.close(observed, reference.next_token_loss(ours, tokens), what="loss")

    def test_text_without_an_answer(self, student, reference, probe, expect):
        """A text of one token in a batch has no answer, and changes nothing."""
        theirs, ours = models(student, probe)
        tokens = texts(probe, 1, 4, 1, 6)
        observed = student.next_token_loss(theirs, tokens)
        expect.close(observed, reference.next_token_loss(ours, tokens[1::2]), what="loss")

    def test_shortest_texts(self, student, reference, probe, expect):
        """Texts of two tokens ask one question each."""
        theirs, ours = models(student, probe)
        tokens = probe.randint(0, V, (B, 2))
        observed = student.next_token_loss(theirs, tokens)

        def why():
            if not _is_number(observed):
                return None
            changed = (tokens + torch.eye(B, dtype=tokens.dtype)[..., None]) % V  # B B 2
            losses = [student.next_token_loss(theirs, each) for each in changed]
            is_missed = any(torch.equal(loss, observed) for loss in losses)
            return reasons.LOSS_OF_SOME_TEXTS if is_missed else None

        expect.close(observed, reference.next_token_loss(ours, tokens), what="loss", why=why)


class TestSchedule:
    @pytest.mark.parametrize(
        "plan",
        [(2.0, 0, 6), (0.5, 1, 2), (0.01, 9, 10), (3.0, 7, 40)],
        ids=["no-ramp", "two-steps", "nearly-all-ramp", "long"],
    )
    def test_rates(self, student, reference, expect, plan):
        """So they are for other plans, without a ramp as well."""
        steps = range(plan[2])
        observed = numbers(expect, *(student.learning_rate(step, *plan) for step in steps))
        wanted = numbers(expect, *(reference.learning_rate(step, *plan) for step in steps))

        def why():
            return proofs.schedule_reading(observed, wanted, *plan[:2])

        expect.close(observed, wanted, what="learning rates", atol=1e-6, why=why)

    def test_afterwards(self, student, reference, expect):
        """After the last step the learning rate is 0 and stays there."""
        plan, steps = (0.2, 3, 9), (7, 8, 9, 10, 15, 100)
        observed = numbers(expect, *(student.learning_rate(step, *plan) for step in steps))
        wanted = numbers(expect, *(reference.learning_rate(step, *plan) for step in steps))

        def why():
            return reasons.RISES_AGAIN if bool(observed[3] > observed[2] + 1e-6) else None

        expect.close(observed, wanted, what="learning rates", atol=1e-6, why=why)

    def test_every_group(self, student, reference, probe, expect):
        """The learning rate of the step counts in every group, whatever the optimiser came with."""
        tokens = texts(probe, 4, 6)
        theirs, ours = models(student, probe)
        there = student.optim.SGD(*theirs.parts(["0", "1"]), lr=2.0)
        here = torch.optim.SGD([{"params": part.parameters()} for part in ours], lr=2.0)
        for rate in (0.03, 0.3):
            student.training_step(theirs, there, tokens, rate, 9.0)
            reference.training_step(ours, here, tokens, rate, 9.0)
        what = "parameters after the last step"
        expect.close(row_of(theirs), row_of(ours), what, atol=1e-6)


class TestClipping:
    def test_all_together(self, student, reference, probe, expect):
        """The length is that of all gradients together, and each keeps its share of it."""
        tokens = texts(probe, 5, 6, 3)
        pair = models(student, probe, scale=1.5)
        before = row_of(pair[1])
        observed, wanted = both_step(student, reference, pair, tokens, 1.0, 0.2)
        moved = (observed[1] - before).norm()
        expect.close(moved, torch.full_like(moved, 0.2), what="length of the step", atol=1e-4)
        expect.close(observed[1], wanted[1], what="parameters after the step", atol=1e-5)

    def test_short_gradients_stay(self, student, reference, probe, expect):
        """Gradients that are short enough are not changed."""
        tokens = texts(probe, 5, 6, 3)
        pair = models(student, probe, scale=0.3)
        observed, wanted = both_step(student, reference, pair, tokens, 0.8, 30.0)
        expect.close(observed[1], wanted[1], what="parameters after the step", atol=1e-6)

    def test_1_is_what_comes_by_itself(self, student, reference, probe, expect):
        """Without an argument max_norm is 1."""
        tokens = texts(probe, 2, 6)
        pair = models(student, probe, scale=4.0)
        before = row_of(pair[1])
        observed, wanted = both_step(student, reference, pair, tokens, 0.6)
        expect.close(observed[1], wanted[1], what="parameters after the step", atol=1e-5)
        moved = (wanted[1] - before).norm()
        expect.true(moved <= 0.6 + 1e-4, observed="a longer step", expected="a step of 0.6")

    def test_frozen_parameters(self, student, probe, expect):
        """A parameter that is frozen has no gradient, does not count, and stays."""
        frozen, learning = student.nn.Embedding(V, D), student.nn.Linear(D, V)
        frozen.prepare({"weight": probe.randn(V, D)}, torch.float64, True)
        drawn = {"weight": probe.randn(V, D, scale=3.0), "bias": probe.randn(V)}
        learning.prepare(drawn, torch.float64, True)
        frozen.requires_grad_(False)
        model = student.nn.Sequential(frozen, learning)
        weight, before = dict(frozen.named_parameters())["weight"].detach().clone(), row_of(model)
        optimiser = student.optim.SGD(model, lr=1.0)
        student.training_step(model, optimiser, probe.randint(0, V, (B, T)), 1.0, 0.1)
        after = dict(frozen.named_parameters())["weight"].detach()
        expect.close(after, weight, what="frozen parameter")
        moved = (row_of(model) - before).norm()
        expect.close(moved, torch.full_like(moved, 0.1), what="length of the step", atol=1e-4)


class TestLearning:
    def test_it_learns_to_count(self, student, probe, expect):
        """Forty steps on texts that count on bring the loss far below guessing."""
        model = student.nn.Sequential(student.nn.Embedding(V, 8), student.nn.Linear(8, V))
        optimiser = student.optim.AdamW(model, lr=1.0)
        losses = []
        for step in range(40):
            tokens = (probe.randint(0, V, (16, 1)) + torch.arange(T)) % V
            rate = student.learning_rate(step, 0.2, 5, 40)
            losses.append(student.training_step(model, optimiser, tokens, rate))
        losses = numbers(expect, *losses).tolist()
        expect.true(
            losses[-1] < 0.2,
            observed=f"the loss goes from {losses[0]:.2f} to {losses[-1]:.2f}",
            expected="a loss below 0.2, where guessing has 1.61",
        )

    @pytest.mark.fresh
    def test_several_steps(self, student, reference, probe, expect):
        """On texts drawn for this submission, all losses and the last parameters are right."""
        theirs, ours = models(student, probe)
        there = student.optim.SGD(theirs, lr=1.0, momentum=0.5)
        here = torch.optim.SGD(ours.parameters(), lr=1.0, momentum=0.5)
        observed, wanted = [], []
        for step in range(5):
            tokens, rate = texts(probe, 6, 3, 5, 2), 0.2 + 0.3 * step
            observed.append(student.training_step(theirs, there, tokens, rate, 0.5))
            wanted.append(reference.training_step(ours, here, tokens, rate, 0.5))
        observed, wanted = numbers(expect, *observed), numbers(expect, *wanted)
        expect.close(observed, wanted, what="losses before each step", atol=1e-4)
        what = "parameters after the last step"
        expect.close(row_of(theirs), row_of(ours), what, atol=1e-4)


class TestState:
    def test_train_mode(self, student, probe, expect):
        """A model that comes in eval mode is trained in train mode."""
        model = student.nn.Sequential(student.nn.Embedding(V, D), student.nn.Linear(D, V)).eval()
        optimiser = student.optim.SGD(model, lr=0.1)
        student.training_step(model, optimiser, probe.randint(0, V, (B, T)), 0.1)
        expect.true(
            model.attribute("training"), observed="eval mode", expected="a model in train mode"
        )

    def test_dropout_is_at_work(self, student, probe, expect):
        """With dropout, also a step after an evaluation drops."""
        layers = student.nn.Embedding(V, D), student.nn.Dropout(1.0), student.nn.Linear(D, V)
        model = student.nn.Sequential(*layers)
        drawn = {"0.weight": probe.randn(V, D), "2.weight": probe.randn(V, D)}
        model.prepare(drawn | {"2.bias": torch.zeros(V)}, torch.float64, False)
        optimiser = student.optim.SGD(model, lr=0.1)
        loss = student.training_step(model, optimiser, probe.randint(0, V, (B, T)), 0.1)
        # Everything is dropped, and the bias alone knows nothing.
        wanted = torch.full((1,), V, dtype=torch.float64).log()
        expect.close(numbers(expect, loss), wanted, what="loss", atol=1e-6)

    def test_old_gradients_are_gone(self, student, reference, probe, expect):
        """What an earlier backward left in the parameters does not count."""
        tokens = probe.randint(0, V, (B, T))
        theirs, ours = models(student, probe)
        there = student.optim.SGD(theirs, lr=0.3)
        here = torch.optim.SGD(ours.parameters(), lr=0.3)
        for rate in (0.0, 0.9):
            student.training_step(theirs, there, tokens, rate, 40.0)
            reference.training_step(ours, here, tokens, rate, 40.0)
        what = "parameters after the step"
        expect.close(row_of(theirs), row_of(ours), what, atol=1e-6)

    @pytest.mark.parametrize("name", ["next_token_loss", "training_step"])
    def test_texts_are_not_modified(self, student, probe, expect, name):
        """The texts are the same after the call as before it."""
        theirs, _ours = models(student, probe)
        tokens = texts(probe, 3, 6, 2)
        rest = (student.optim.SGD(theirs, lr=0.1), tokens, 0.1) if name[0] == "t" else (tokens,)
        expect.unchanged(getattr(student, name), theirs, *rest)
