"""Expectations that several suites share."""

import functools

import torch

from . import proofs, reasons


def expect_same_again(expect, ask, module, *args, answer, what, atol=1e-5, **kwargs):
    """Require the same answer in a process that has not seen this input.

    `ask(expect, module, ...)` calls the module and ends the check if what comes back is no answer.
    """

    def why():
        first, second = (ask(expect, module, *args, **kwargs) for _ in range(2))
        return proofs.another_each_time(first, second)

    again = ask(expect, module.apart, *args, **kwargs)
    expect.close(again, answer, what=what, atol=atol, why=why)


def expect_first_token_counts(expect, ask, module, x, expected):
    """Require that the last output depends on the first token of `x`, (B, T, D); return outputs.

    The same tokens have to give the same in a process that has not seen them: what does not come
    from the tokens proves nothing. `ask` is as above.
    """
    output = ask(expect, module, x)
    x = x.clone()
    x[:, 0] = -0.5 * x[:, 0]
    other = ask(expect, module, x)
    expect_same_again(
        expect, ask, module, x, answer=other, what="output of the same tokens once more"
    )
    moved = (other - output)[:, -1].float().abs().amax(-1)
    expect.true(
        bool((moved > 1e-4).any()),
        observed="the last output does not depend on the first token",
        expected=expected,
    )
    return output


def expect_no_dropout(expect, ask, module, *args, answer, what, atol):
    """Require of a module with a dropout of 0 in train mode what it answers in eval mode.

    `answer` is what `ask(expect, module, *args)` returned in eval mode.
    """
    module.train()

    def why():
        first, second = (ask(expect, module, *args) for _ in range(2))
        return proofs.dropped_at_rate_0(first, second)

    expect.close(ask(expect, module.apart, *args), answer, what=what, atol=atol, why=why)


def expect_same_state(expect, ask, module, *args, answer, what, atol):
    """Require the answer of another module, whose state_dict this one has loaded."""
    second = ask(expect, module.apart, *args)

    def why():
        return proofs.state_outside(*(ask(expect, module, *args) for _ in range(2)))

    expect.close(second, answer, what=what, atol=atol, why=why)


def expect_nothing_gathered(expect, output, bias, beside_others, what):
    """Require that what may attend to nothing is left with the bias (D,) of the last map.

    `output` (..., D) is its output, and `beside_others()` the same after all others were changed.
    """

    def why():
        return proofs.nobody_is_seen(output, beside_others().detach())

    expect.close(output, bias.expand_as(output), what=what, atol=1e-5, why=why)


def expect_one_mask_for_all(expect, ask, attention, x, mask):
    """Require that a mask (T, T) is one for all samples, also where there are T of them.

    `x`, (T, T, D): as many samples as tokens, where a length does not say which axis it is.
    """
    together = ask(expect, attention, x, mask)
    for sample in range(2):
        own = slice(sample, sample + 1)
        alone = ask(expect, attention.apart, x[own], mask)
        expect.close(together[own], alone, what="output of one of as many samples", atol=1e-5)


def expect_same_in_chunks(expect, in_chunks, module, x, widths, what):
    """Require of a text `x`, (B, T, …), in chunks what comes of it as a whole.

    `in_chunks(expect, module, x, widths)` returns the answers of all chunks in a row.
    """
    length = x.shape[1]
    whole = in_chunks(expect, module, x, [length])
    expect.close(
        in_chunks(expect, module.apart, x, widths),
        whole,
        what=what,
        atol=1e-5,
        why=lambda: proofs.steps_reading(
            lambda others: in_chunks(expect, module, x, others), length
        ),
    )


def expect_hidden_from_low_scores(expect, in_chunks, module, x, other, widths):
    """Require that the first token of the last chunk does not depend on any behind it.

    `x` and `other`, (B, T, D), are tokens whose scores are large; `in_chunks` is as above.
    """
    first = len(widths) - 1
    later = torch.cat([x[:, : first + 1], other[:, first + 1 :]], dim=1)

    def ask(tokens, asked=module):
        return in_chunks(expect, asked, tokens, widths)[:, first]

    before = ask(x)
    expect.close(
        ask(later, module.apart),
        before,
        what=f"output {first} after changing all later tokens",
        why=lambda: proofs.seen_from_afar(ask(1e-3 * x), ask(1e-3 * later)),
    )


def expect_hidden_whatever_their_scores(expect, ask, module, x, hidden):
    """Require that no output depends on what is hidden from it where scores are far apart.

    A penalty that is large enough for the scores of new weights is not for those of all weights.
    Here some scores lie 10,000 below others, and none 60,000: a penalty of 10,000 is too weak, and
    the largest number of float16 is not.

    `ask(x)` calls the module and returns outputs, (B, T, D), or ends the check; `x` is (B, S, D)
    for many B, and `hidden`, (T, S), says what is hidden from which output.
    """
    state = module.state()
    large = {key: 96.0 * value if value.ndim > 1 else value for key, value in state.items()}

    def why(changed, place):
        module.load(state)
        return proofs.seen_from_afar(*(ask(each)[:, hidden[:, place]] for each in (x, changed)))

    module.load(large)
    before = ask(x.clone())
    for place in range(x.shape[1]):
        changed = x.clone()
        changed[:, place] *= -1.0
        moved = (ask(changed) - before).detach().abs().amax(-1) > 1e-6
        expect.true(
            not bool(moved[:, hidden[:, place]].any()),
            observed=f"token {place} is seen where it is hidden and scores are large",
            expected="the mask decides, whatever the scores are",
            why=functools.partial(why, changed, place),
        )
    module.load(state)


def expect_finite_gradient(expect, gradient, output, what):
    """Require a finite gradient of `output`; both may have any shape, and `output` be a sum."""
    expect.finite(gradient, what=what, why=lambda: proofs.not_finite_back(output))


def expect_gradient(expect, gradient, output, *, expected, name="", least=1e-9):
    """Require a gradient of `output` that is finite and somewhere larger than `least`.

    `name`: of what it is the gradient, if that is not the only one.
    """
    what = f"gradient of {name}" if name else "gradient"
    observed = f"{name} gets no gradient" if name else "a gradient of zero"
    expect_finite_gradient(expect, gradient, output, what=what)
    expect.true(
        gradient.abs().max().item() > least,
        observed=observed,
        expected=expected,
        why=lambda: reasons.NO_GRADIENT,
    )


def expect_path_back(expect, result, expected):
    """Require that gradients come back from `result`, a tensor of any shape."""
    expect.true(
        result.requires_grad,
        observed="no gradient",
        expected=expected,
        why=lambda: reasons.NO_GRADIENT,
    )
