"""a6.training_step, public criteria: shapes and values.

The model knows only the token before, so that nothing of assignment 5 is needed. The optimiser is
plain gradient descent: it hides nothing of a gradient.
"""

import pytest
import torch
from torch import nn

B, T, V, D = 3, 5, 7, 4


def weights_of(model):
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


def small_models(student, probe, scale=1.0):
    """Return a model in the student's process and one here, with the same drawn weights."""
    ours = nn.Sequential(nn.Embedding(V, D), nn.Linear(D, V)).double()
    drawn = {name: probe.randn(*p.shape, scale=scale) for name, p in ours.named_parameters()}
    ours.load_state_dict(drawn)
    theirs = student.nn.Sequential(student.nn.Embedding(V, D), student.nn.Linear(D, V))
    theirs.prepare(drawn, torch.float64, True)
    return theirs, ours


def texts(probe):
    """Return texts (B, T), of which two are shorter than the longest one."""
    tokens = probe.randint(0, V, (B, T))
    tokens[1, 3:] = -1
    tokens[2, 2:] = -1
    return tokens


class TestShapes:
    def test_loss(self, student, probe, expect):
        """The loss is a tensor without axes, with a gradient."""
        model, _ours = small_models(student, probe)
        loss = student.next_token_loss(model, probe.randint(0, V, (B, T)))
        expect.floats(loss, (), what="loss")
        expect.true(loss.requires_grad, observed="a loss without a gradient", expected="a gradient")

    def test_step(self, student, probe, expect):
        """A step returns a float."""
        model, _ours = small_models(student, probe)
        optimiser = student.optim.SGD(model, lr=0.1)
        loss = student.training_step(model, optimiser, probe.randint(0, V, (B, T)), 0.1)
        expect.true(isinstance(loss, float), observed="no float", expected="a Python float")

    @pytest.mark.parametrize("step", [0, 3, 40], ids=["ramp", "cosine", "afterwards"])
    def test_rate(self, student, expect, step):
        """The learning rate is a float."""
        rate = student.learning_rate(step, 0.1, 2, 10)
        expect.true(isinstance(rate, float), observed="no float", expected="a Python float")


class TestOutputs:
    def test_loss(self, student, reference, probe, expect):
        """The loss of texts of one length is right."""
        tokens = probe.randint(0, V, (B, T))
        theirs, ours = small_models(student, probe)
        observed = student.next_token_loss(theirs, tokens)
        expect.close(observed, reference.next_token_loss(ours, tokens), what="loss")

    def test_loss_of_texts_of_several_lengths(self, student, reference, probe, expect):
        """A place of -1 is no answer, and every answer of the batch counts the same."""
        tokens = texts(probe)
        theirs, ours = small_models(student, probe)
        observed = student.next_token_loss(theirs, tokens)
        expect.close(observed, reference.next_token_loss(ours, tokens), what="loss")

    def test_rates(self, student, reference, expect):
        """The learning rates of a whole training are right, the ramp as well as the cosine."""
        plan = (0.3, 4, 11)
        observed = numbers(expect, *(student.learning_rate(step, *plan) for step in range(11)))
        wanted = numbers(expect, *(reference.learning_rate(step, *plan) for step in range(11)))
        expect.close(observed, wanted, what="learning rates", atol=1e-6)

    @pytest.mark.parametrize("steps", [1, 3], ids=["one-step", "three-steps"])
    def test_steps(self, student, reference, probe, expect, steps):
        """The losses, and the parameters after the steps, are right."""
        theirs, ours = small_models(student, probe)
        there = student.optim.SGD(theirs, lr=5.0)
        here = torch.optim.SGD(ours.parameters(), lr=5.0)
        observed, wanted = [], []
        for step in range(steps):
            tokens, rate = texts(probe), 0.4 + 0.3 * step
            observed.append(student.training_step(theirs, there, tokens, rate, 50.0))
            wanted.append(reference.training_step(ours, here, tokens, rate, 50.0))
        observed, wanted = numbers(expect, *observed), numbers(expect, *wanted)
        expect.close(observed, wanted, what="losses before each step", atol=1e-6)
        what = "parameters after the last step"
        expect.close(weights_of(theirs), weights_of(ours), what, atol=1e-6)

    def test_clipped_step(self, student, reference, probe, expect):
        """Gradients that are too long together are shortened to max_norm."""
        theirs, ours = small_models(student, probe, scale=2.0)
        there = student.optim.SGD(theirs, lr=0.7)
        here = torch.optim.SGD(ours.parameters(), lr=0.7)
        tokens = probe.randint(0, V, (B, T))
        student.training_step(theirs, there, tokens, 0.7, 0.05)
        reference.training_step(ours, here, tokens, 0.7, 0.05)
        what = "parameters after the step"
        expect.close(weights_of(theirs), weights_of(ours), what, atol=1e-5)
