"""What a decoder and a language model share: tables with a vector for each token."""

import torch

from . import reasons

TOKEN_0_IS_PADDING = (
    "`padding_idx=0` keeps the vector of token 0 from learning: it is a token like all others."
)


def tables_of(module, vocabulary):
    """Return the matrices with a row, or a column, for each token, by name."""
    return {
        name: parameter
        for name, parameter in module.named_parameters()
        if parameter.dim() == 2 and vocabulary in parameter.shape
    }


def expect_every_token_learns(probe, expect, tables, logits, id):
    """Require that a gradient reaches every token's vector.

    `logits` (B, T, V) are those of a text that holds every token. `id`: the mistake to name if it
    is only token 0 that none reaches.
    """
    vocabulary = logits.shape[-1]
    expect.true(
        logits.requires_grad and bool(tables),
        observed="no gradient",
        expected="a gradient for every token",
        why=lambda: None if logits.requires_grad else reasons.NO_GRADIENT,
    )
    total = (logits * probe.randn(*logits.shape)).sum()
    gradients = torch.autograd.grad(total, list(tables.values()), materialize_grads=True)
    for (name, table), gradient in zip(tables.items(), gradients, strict=True):
        of_tokens = gradient.movedim(list(table.shape).index(vocabulary), 0)
        missing = (of_tokens.abs().amax(1) < 1e-9).nonzero().flatten().tolist()
        expect.true(
            not missing,
            observed=f"no gradient in {name} for tokens {missing}",
            expected="a gradient for every token that was read",
            why=lambda missing=missing: (id, TOKEN_0_IS_PADDING) if missing == [0] else None,
        )
