"""Checks that the suites of causal attention and of multi-head attention share, once for both.

Both are modules that give every token of a sequence an output and hide later tokens from it. A
module is compared with itself, so that a wrong scale or a wrong value costs nothing here. What a
check is called and the line that students read of it stand in the suites.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from . import proofs, reasons
from .expectations import (
    expect_gradient,
    expect_no_dropout,
    expect_path_back,
    expect_same_again,
    expect_same_state,
)

LONG = 300
"""Longer than any mask that somebody writes out; short enough for a loop over all pairs."""


@dataclass(frozen=True)
class CausalSuite:
    """The checks of one kind of module: how a student's is built, and its sizes.

    `build(probe, *, tokens, dropout, train)` returns it in float32, its weights drawn by us. It
    maps B samples of T tokens, (B, T, D_IN), to (B, T, D_OUT).
    """

    build: Callable[..., Any]
    B: int
    T: int
    D_IN: int
    D_OUT: int

    def tokens_like(self, probe, batch=None, count=None, scale=1.0):
        """Draw tokens, (batch, count, D_IN): B samples of T tokens unless others are wanted."""
        batch = self.B if batch is None else batch
        count = self.T if count is None else count
        return probe.randn(batch, count, self.D_IN, dtype=torch.float32, scale=scale)

    def run(self, expect, attention, x):
        """Call the module; the output has the right shape and no NaN, or the check ends."""
        output = attention(x)
        expect.floats(output, (*x.shape[:-1], self.D_OUT), what="output")
        expect.finite(output, what="output")
        return output

    def expect_look_back(self, probe, expect, attention, tokens):
        """The last output depends on the first token, or there is nothing to be masked."""
        x = self.tokens_like(probe, count=tokens, scale=0.3)  # small scores: no weight is near zero
        changed = x.clone()
        changed[:, 0] += 0.5
        moved = self.run(expect, attention, changed)[:, -1] - self.run(expect, attention, x)[:, -1]
        expect.true(
            bool((moved.abs().amax(-1) > 1e-4).all()),
            observed="the last output does not depend on the first token",
            expected="every output depends on all tokens before it",
        )

    def expect_answer(self, expect, attention, x):
        """Return the output for x. Another x gives another one, and the same again in a process
        that has not seen it, or the check ends: what does not come from the tokens proves nothing.
        """
        output, other = self.run(expect, attention, x), self.run(expect, attention, -x)
        expect_same_again(
            expect,
            self.run,
            attention,
            -x,
            answer=other,
            what="output of the same tokens once more",
        )
        expect.true(
            bool((other - output).abs().amax() > 1e-3),
            observed="the output does not depend on the tokens",
            expected="other outputs for other tokens",
        )
        return output

    def expect_some_mask(self, probe, expect, attention):
        """The first output hardly depends on the last token: there is a mask to be judged, be it
        leaky or too wide."""
        x = self.tokens_like(probe)
        first = self.run(expect, attention, x)[:, 0]
        x[:, -1] += 1.0
        moved = self.run(expect, attention.apart, x)[:, 0]
        expect.close(moved, first, what="first output after changing the last token", atol=1e-2)

    def future_stays_hidden_from_low_scores(self, probe, expect):
        """No output depends on a later token even where a token's own scores are very low."""
        attention = self.build(probe)
        self.expect_look_back(probe, expect, attention, self.T)
        attention.to(torch.float64)
        # Among 64 samples, the first token's score of itself is below -10,000 in several.
        x = probe.randn(64, self.T, self.D_IN, scale=400.0)
        changed = torch.cat([x[:, :1], probe.randn(64, self.T - 1, self.D_IN, scale=400.0)], dim=1)
        before = self.run(expect, attention, x)
        after = self.run(expect, attention.apart, changed)

        def why():
            later = [self.run(expect, attention, changed[:, i : i + 1]) for i in range(1, self.T)]
            alone = self.run(expect, attention, changed[:, :1])[:, 0]
            near = [self.run(expect, attention, each / 100)[:, 0] for each in (x, changed)]
            return proofs.filled_with_a_number(
                after[:, 0], alone, torch.cat(later, dim=1)
            ) or proofs.seen_from_afar(*near)

        what = "output 0 after changing all later tokens"
        expect.close(after[:, 0], before[:, 0], what=what, why=why)

    def past_tokens_are_seen(self, probe, expect):
        """Every token sees itself and all tokens before it."""
        attention = self.build(probe)
        self.expect_some_mask(probe, expect, attention)
        x = self.tokens_like(probe, scale=0.3)  # small scores: no weight is near zero
        before = self.expect_answer(expect, attention, x)
        for position in range(self.T):
            changed = x.clone()
            changed[:, position] += 0.5
            moved = (self.run(expect, attention.apart, changed) - before).abs().amax(-1)
            expect.true(
                bool((moved[:, position:] > 1e-4).all()),
                observed=f"an output from position {position} on ignores token {position}",
                expected="every output depends on its own token and on all before it",
                why=lambda: self.look_ahead(probe, expect, attention),
            )

    def look_ahead(self, probe, expect, attention):
        """Name the way in which the module's tokens see others than those before them."""
        x = self.tokens_like(probe, scale=0.3)  # small scores: no weight is near zero
        return proofs.look_ahead(lambda tokens: self.run(expect, attention, tokens), x)

    def remaining_weights_add_up(self, probe, expect, *, atol):
        """The weights of early tokens add up to as much as those of late tokens."""
        attention = self.build(probe)
        self.expect_look_back(probe, expect, attention, self.T)
        self.expect_some_mask(probe, expect, attention)
        # All values alike: only the sum of the weights shows.
        x = self.tokens_like(probe, count=1).expand(self.B, self.T, self.D_IN)
        output = self.run(expect, attention, x)
        expect.close(output, output[:, -1:].expand_as(output), what="output", atol=atol)
        many = self.run(expect, self.build(probe, tokens=LONG), x[:1, :1].expand(1, LONG, -1))
        expect.close(many, many[:, -1:].expand_as(many), what="output of many tokens", atol=atol)

    def eval_repeats_itself(self, probe, expect, *, batch):
        """After train() and eval() again, two calls give the same output."""
        attention = self.build(probe, dropout=0.5, train=True)
        x = self.tokens_like(probe, batch=batch)
        wild = self.run(expect, attention, x)
        attention.eval()
        calm = self.run(expect, attention, x)
        expect.close(
            self.run(expect, attention.apart, x),
            calm,
            what="second output in eval mode",
            why=lambda: reasons.DRAWN_IN_EVAL,
        )
        expect.true(
            bool(((wild - calm).abs() > 1e-3).any()),
            observed="train mode and eval mode give the same output",
            expected="dropout in train mode only",
            why=lambda: reasons.NOTHING_DROPPED,
        )

    def train_does_not_repeat_itself(self, probe, expect, *, batch):
        """With dropout, two calls in train mode differ."""
        attention = self.build(probe, dropout=0.5, train=True)
        x = self.tokens_like(probe, batch=batch)
        self.expect_answer(expect, self.build(probe, train=True), x)
        first, second = self.run(expect, attention, x), self.run(expect, attention, x)
        expect.true(
            bool(((first - second).abs() > 1e-3).any()),
            observed="two calls in train mode give the same output",
            expected="different weights dropped in each call",
            why=lambda: self.why_it_repeats_itself(expect, attention, x, first),
        )

    def why_it_repeats_itself(self, expect, attention, x, wild):
        """Tell whether `wild`, the output for x in train mode, is that of eval mode."""
        calm = self.run(expect, attention.eval(), x)
        is_another = bool(((wild - calm).abs() > 1e-3).any())
        return reasons.SAME_IN_EACH_CALL if is_another else reasons.NOTHING_DROPPED

    def no_dropout(self, probe, expect, *, atol):
        """With a dropout of 0, train mode gives what eval mode gives."""
        attention = self.build(probe)
        x = self.tokens_like(probe)
        calm = self.expect_answer(expect, attention, x)
        expect_no_dropout(
            expect, self.run, attention, x, answer=calm, what="output in train mode", atol=atol
        )

    def state_dict_is_the_whole_state(self, probe, expect):
        """A second module that loads the first one's state_dict computes the same."""
        first, second = self.build(probe), self.build(probe)
        x = self.tokens_like(probe)
        state, wanted = first.state(), self.run(expect, first, x)
        expect.true(
            bool(((self.run(expect, second, x) - wanted).abs() > 1e-3).any()),
            observed="the output does not depend on the weights",
            expected="different outputs for different weights",
        )
        second.load(state)
        expect_same_state(
            expect,
            self.run,
            second,
            x,
            answer=wanted,
            what="output of the second module",
            atol=1e-6,
        )

    def short_call_leaves_no_trace(self, probe, expect):
        """After a short sequence, a long one still gives the output it gave before."""
        attention = self.build(probe)
        x = self.tokens_like(probe)
        before = self.run(expect, attention, x)
        self.run(expect, attention.apart, x[:, :3])
        after = self.run(expect, attention.apart, x)
        expect.close(after, before, what="output of the later call", atol=1e-6)

    def another_size_leaves_no_trace(self, probe, expect, other):
        """See to it that `other`, a module of another size for two tokens, changes nothing."""
        other(self.tokens_like(probe, count=2))
        module = self.build(probe)
        output = self.run(expect, module, self.tokens_like(probe))
        expect.true(
            output.std().item() > 1e-6,
            observed="an output that is the same everywhere",
            expected="an output that depends on the tokens",
        )

    def dtype_is_kept(self, probe, expect, dtype):
        """After `.to(dtype)` the output is finite and has that dtype."""
        attention = self.build(probe).to(dtype)
        x = probe.randn(self.B, self.T, self.D_IN, dtype=dtype)
        output = self.expect_answer(expect, attention, x)
        expect.dtype(output, dtype, what="output")

    def gradient_predicts_the_change(self, probe, expect):
        """The gradient tells how the output changes when the tokens move a little."""
        attention = self.build(probe)
        x, direction, probed = (
            self.tokens_like(probe),
            self.tokens_like(probe),
            probe.randn(self.B, self.T, self.D_OUT),
        )

        def level(tensor):
            return (self.run(expect, attention, tensor) * probed).sum()

        tracked = x.clone().requires_grad_()
        total = level(tracked)
        expect_path_back(expect, total, expected="a gradient for the tokens")
        (gradient,) = torch.autograd.grad(total, tracked, materialize_grads=True)
        expect_gradient(
            expect, gradient, total, least=1e-6, expected="outputs that depend on the tokens"
        )
        slope = (level(x + 1e-2 * direction) - level(x - 1e-2 * direction)).detach() / 2e-2
        expect.close((gradient * direction).sum(), slope, what="slope of the output", atol=2e-2)

    def mask_moves_with_the_module(self, module, expect):
        """A tensor that a new module keeps is a buffer or a parameter, so that it moves along."""
        kept = [f"`{name}` {shape}" for name, shape in module.plain_tensors()]
        expect.true(
            not kept,
            observed=f"kept as a plain attribute: {', '.join(kept)}",
            expected="a buffer: on a GPU the module's tensors have to be there too",
        )

    def every_parameter_learns(self, probe, expect):
        """Every parameter gets a gradient that is finite and not zero."""
        attention = self.build(probe)
        # A mask may be a parameter that is not trained; how many are is checked in `state`.
        parameters = {n: p for n, p in attention.named_parameters() if p.requires_grad}
        expect.true(parameters, observed="no parameters", expected="parameters that learn")
        output = self.run(expect, attention, self.tokens_like(probe))
        expect_path_back(expect, output, expected="a gradient for every parameter")
        gradients = torch.autograd.grad(
            (output * probe.randn(self.B, self.T, self.D_OUT)).sum(),
            list(parameters.values()),
            materialize_grads=True,
        )
        for name, gradient in zip(parameters, gradients, strict=True):
            expect_gradient(
                expect,
                gradient,
                output,
                name=name,
                least=1e-6,
                expected="a gradient for every parameter",
            )
