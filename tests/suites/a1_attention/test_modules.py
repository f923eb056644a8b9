"""a1.modules, hidden criteria: conversion, state, numerics, gradients.

Checks of the conversion compare the student's two modules with each other: whether the attention
itself is right is judged elsewhere. All of it is asked about a single sequence, so that whoever
forgets batches (`keys.T`) loses for that alone.
"""

from itertools import combinations

import pytest
import torch

from ..expectations import expect_gradient, expect_path_back, expect_same_again, expect_same_state

T, D_IN, D_OUT = 5, 3, 4
BOTH = pytest.mark.parametrize("name", ["SelfAttentionV1", "SelfAttentionV2"])


def tokens(probe, scale=1.0, dtype=torch.float32):
    return probe.randn(T, D_IN, dtype=dtype, scale=scale)


def run(expect, attention, x):
    """Call the student's module; the output has the right shape and no NaN, or the check ends."""
    output = attention(x)
    expect.floats(output, (*x.shape[:-1], D_OUT), what="output")
    expect.finite(output, what="output")
    return output


def expect_other(expect, left, right, observed):
    """Two outputs differ, or the check ends."""
    expect.true(
        bool((left - right).abs().max() > 1e-3), observed=observed, expected="different outputs"
    )


def expect_answer(expect, attention, x):
    """Return the output for x, which depends on x and on nothing else, or the check ends."""
    output, other = run(expect, attention, x), run(expect, attention, -x)
    expect_same_again(
        expect,
        run,
        attention,
        -x,
        answer=other,
        what="output of the same tokens once more",
        atol=None,
    )
    expect_other(expect, other, output, "the output does not depend on the tokens")
    return output


def both_modules(probe, expect, x):
    """Return a V2 and a V1 with drawn weights, which give different outputs."""
    width = x.shape[-1]
    v2, v1 = (
        probe.module(name, width, D_OUT, dtype=torch.float32)
        for name in ("SelfAttentionV2", "SelfAttentionV1")
    )
    expect_other(
        expect,
        expect_answer(expect, v1, x),
        expect_answer(expect, v2, x),
        "the output does not depend on the weights",
    )
    return v2, v1


def weights(module):
    """Return the three matrices as (d_in, d_out), or None if they are stored in another way."""
    found = dict(module.named_parameters())
    names = [n.removesuffix(".weight") for n in found]
    if sorted(names) != ["W_key", "W_query", "W_value"]:
        return None
    return {
        n.removesuffix(".weight"): (p.T if n.endswith(".weight") else p).detach()
        for n, p in found.items()
    }


def copy(student, expect, v2, v1, x):
    """Copy V2 into V1, in a process in which no question was asked about them. Return both as they
    are there. V1 holds what V2 held, or the check ends: number by number, or, where it stores its
    numbers in another way, by what comes out."""
    wanted, output = weights(v2), run(expect, v2, x)
    v2, v1 = v2.apart, v1.apart
    student.apart.copy_v2_to_v1(v2, v1)
    found = weights(v1)
    if wanted and found and all(alike(found[name], wanted[name]) for name in wanted):
        expect.true(True, observed="", expected="")
    else:
        expect.close(run(expect, v1, x), output, what="output of V1 after the copy")
    return v2, v1


def holding(module, wanted):
    """Return a module that holds these three matrices now, or None if it stores them otherwise."""
    own = weights(module)
    if wanted is None or own is None or any(own[n].shape != wanted[n].shape for n in own):
        return None
    names = {n: n.removesuffix(".weight") for n, _ in module.named_parameters()}
    module.write({n: wanted[m].T if n != m else wanted[m] for n, m in names.items()})
    return module


def alike(found, wanted):
    return found.shape == wanted.shape and torch.allclose(found, wanted)


def learning(expect, attention, x):
    """Return the names of the parameters that get a gradient."""
    parameters = {name: p for name, p in attention.named_parameters() if p.requires_grad}
    output = run(expect, attention, x)
    if not parameters or not output.requires_grad:
        return []
    gradients = torch.autograd.grad(
        output.square().sum(), list(parameters.values()), materialize_grads=True
    )
    pairs = zip(parameters, gradients, strict=True)
    return sorted(name for name, gradient in pairs if gradient.abs().max().item() > 1e-7)


class TestConversion:
    @pytest.mark.parametrize("width", [D_IN, D_OUT], ids=["widths-differ", "square"])
    def test_same_weights(self, student, probe, expect, width):
        """After the copy, V1 holds the weights of V2."""
        x = probe.randn(T, width, dtype=torch.float32)
        v2, v1 = both_modules(probe, expect, x)
        copy(student, expect, v2, v1, x)

    def test_source_stays(self, student, probe, expect):
        """The copy leaves V2 as it was."""
        x = tokens(probe)
        v2, v1 = both_modules(probe, expect, x)
        before = run(expect, v2, x)
        v2, _ = copy(student, expect, v2, v1, x)
        v2.named_parameters()  # each has to have its shape still
        expect.close(run(expect, v2, x), before, what="output of V2 after the copy")

    @pytest.mark.parametrize("moved", ["V1", "V2"])
    def test_no_shared_memory(self, student, probe, expect, moved):
        """After the copy, changing the weights of one module does not move the other."""
        x = tokens(probe)
        v2, v1 = both_modules(probe, expect, x)
        wanted, before = weights(v2), run(expect, v2, x)
        other_v2, other_v1 = copy(student, expect, v2, v1, x)
        changed, other = (other_v1, other_v2) if moved == "V1" else (other_v2, other_v1)
        if moved == "V2":
            before = run(expect, holding(v1, wanted) or other, x)
        changed.write({name: 0.1 - 0.5 * p for name, p in changed.named_parameters()})
        expect.close(run(expect, other, x), before, what="output of the other module")

    def test_parameters_stay_parameters(self, student, probe, expect):
        """After the copy, the parameters of V1 are still there and still learn."""
        x = tokens(probe)
        v2, v1 = both_modules(probe, expect, x)
        before = learning(expect, v1, x)
        _, v1 = copy(student, expect, v2, v1, x)
        after = learning(expect, v1, x)
        expect.true(
            before and after == before,
            observed=f"parameters that learn: {', '.join(after) or 'none'}",
            expected=f"the same as before the copy: {', '.join(before) or 'at least one'}",
        )


class TestState:
    @pytest.mark.parametrize("qkv_bias", [False, True], ids=["without-bias", "with-bias"])
    def test_number_of_parameters(self, student, expect, qkv_bias):
        """Three linear maps are all there is to train, with biases only when asked for."""
        attention = student.SelfAttentionV2(D_IN, D_OUT, qkv_bias=qkv_bias)
        count = sum(parameter.numel() for parameter in attention.parameters())
        expected = 3 * D_IN * D_OUT + (3 * D_OUT if qkv_bias else 0)
        expect.true(count == expected, observed=f"{count} numbers", expected=f"{expected} numbers")

    def test_each_matrix_is_drawn_for_itself(self, student, expect):
        """Before any training, no two matrices hold the same numbers."""
        state = student.SelfAttentionV1(D_IN, D_OUT).state()
        matrices = [value for value in state.values() if value.ndim == 2]
        expect.true(bool(matrices), observed="no matrices", expected="three matrices")
        pairs = [(a, b) for a, b in combinations(matrices, 2) if a.shape == b.shape]
        expect.true(
            not any(torch.equal(a, b) for a, b in pairs),
            observed="two matrices hold the same numbers",
            expected="random numbers of its own for each matrix",
        )

    @BOTH
    def test_state_dict_is_the_whole_state(self, probe, expect, name):
        """A second module that loads the first one's state_dict computes the same."""
        x = tokens(probe)
        first, second = (probe.module(name, D_IN, D_OUT, dtype=torch.float32) for _ in range(2))
        state, wanted = first.state(), run(expect, first, x)
        expect_other(
            expect, run(expect, second, x), wanted, "the output does not depend on the weights"
        )
        second.load(state)
        expect_same_state(
            expect, run, second, x, answer=wanted, what="output of the second module", atol=1e-6
        )

    @BOTH
    def test_input_is_not_modified(self, probe, expect, name):
        """The tokens are the same after the call as before it."""
        attention = probe.module(name, D_IN, D_OUT, dtype=torch.float32)
        expect.unchanged(attention, tokens(probe))

    @BOTH
    def test_nothing_is_kept_of_earlier_calls(self, probe, expect, name):
        """A call gives the same after others, one of them with fewer tokens."""
        attention = probe.module(name, D_IN, D_OUT, dtype=torch.float32)
        calls = [expect.call(tokens(probe)[:count]) for count in (T, 3, T)]
        expect.starts_anew(attention, *calls)

    @BOTH
    def test_two_modules_share_nothing(self, probe, expect, name):
        """A second module with weights of its own leaves the outputs of the first as they were."""
        expect.separate(lambda: probe.module(name, D_IN, D_OUT, dtype=torch.float32), tokens(probe))


class TestNumerics:
    @BOTH
    @pytest.mark.parametrize(
        "dtype",
        [torch.float64, torch.float16, torch.bfloat16],
        ids=["float64", "float16", "bfloat16"],
    )
    def test_dtype_is_kept(self, probe, expect, name, dtype):
        """After `.to(dtype)` the output is finite and has that dtype."""
        attention = probe.module(name, D_IN, D_OUT, dtype=dtype)
        output = expect_answer(expect, attention, tokens(probe, dtype=dtype))
        expect.dtype(output, dtype, what="output")

    @BOTH
    def test_huge_scores(self, probe, expect, name):
        """Scores in the thousands give finite outputs."""
        attention = probe.module(name, D_IN, D_OUT, dtype=torch.float32)
        expect_answer(expect, attention, tokens(probe, scale=100.0))


class TestGradients:
    @BOTH
    def test_every_parameter_learns(self, probe, expect, name):
        """Every parameter gets a gradient that is finite and not zero."""
        # In float32 what should be 0 may be as large as 1e-7.
        attention = probe.module(name, D_IN, D_OUT, dtype=torch.float64)
        parameters = dict(attention.named_parameters())
        learning = [name for name, p in parameters.items() if p.requires_grad]
        expect.true(
            parameters and len(learning) == len(parameters),
            observed=f"of {sorted(parameters)}, those that learn are {sorted(learning)}",
            expected="parameters that all learn",
        )
        output = run(expect, attention, tokens(probe, dtype=torch.float64))
        expect_path_back(expect, output, expected="a gradient for every parameter")
        total = (output * probe.randn(T, D_OUT)).sum()
        gradients = torch.autograd.grad(total, list(parameters.values()), materialize_grads=True)
        for name, gradient in zip(parameters, gradients, strict=True):
            expect_gradient(
                expect,
                gradient,
                total,
                name=name,
                expected="a gradient for every parameter",
            )

    @pytest.mark.fresh
    def test_gradients_of_a_new_draw(self, probe, expect):
        """On tokens and weights drawn for this submission, all gradients of both are right."""
        x = probe.randn(T, D_IN)
        for name, options in (("SelfAttentionV1", {}), ("SelfAttentionV2", {"qkv_bias": True})):
            pair = probe.pair(name, D_IN, D_OUT, **options)
            expect.gradients(pair.student, pair.reference, x)
