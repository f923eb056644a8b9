"""Who is seen under a mask, asked of self-attention modules with heads in float32.

A module is compared with itself, so that a wrong scale or a wrong value costs nothing here.
"""

import torch

from . import proofs
from .expectations import expect_first_token_counts


def run(expect, attention, x, mask=None):
    """Call the student's module; the output has the right shape and no NaN, or the check ends."""
    output = attention(x) if mask is None else attention(x, mask)
    expect.floats(output, x.shape, what="output")
    expect.finite(output, what="output")
    return output


def expect_answer(expect, attention, x):
    """Return the output for x. The last output depends on the first token, not all get the same,
    and the same x gives the same in a process that has not seen it, or the check ends: what does
    not come from the tokens proves nothing."""
    wanted = "every output depends on all tokens"
    output = expect_first_token_counts(expect, run, attention, x, wanted)
    expect.true(
        bool(((output[:, 0] - output[:, -1]).abs() > 1e-3).any()),
        observed="all tokens get the same output",
        expected="outputs that depend on who asks",
    )
    return output


def influence(probe, expect, attention, x, mask):
    """Return how much each output (B, T) moves when each token (T) of x, (B, T, D), does.

    It is (B, T, T).
    """
    before = run(expect, attention, x, mask)
    moved = []
    for place in range(x.shape[1]):
        changed = x.clone()
        changed[:, place] += probe.randn(x.shape[-1], dtype=torch.float32)
        moved.append((run(expect, attention.apart, changed, mask) - before).abs().amax(-1))
    return torch.stack(moved, dim=-1)


def drawn_mask(probe, shape, heads, keep):
    """Return a mask of this shape for as many samples as heads, and whom it allows to see whom.

    The second is (H, T, T), true where any head may look, and the third the places where that can
    be told: a token's own output depends on it as a query, whatever the mask says. `keep` is the
    share that is allowed, of each head if the mask has an axis for them: of what any of them
    allows something must be left over.
    """
    length = shape[-1]
    mask = probe.mask(*shape, keep=keep if heads in shape[1:2] else 0.6)
    full = mask.unsqueeze(1) if mask.dim() == 3 else mask
    allowed = full.expand(heads, heads, length, length).any(dim=1)
    return mask, allowed, ~torch.eye(length, dtype=torch.bool)


def reading(expect, attention, x, mask, seen, allowed, others):
    """Name the other way of reading a mask by which tokens see, (H, T, T), what they see."""
    ignored = run(expect, attention, x, mask) - run(expect, attention, x)
    is_ignored, others = bool((ignored.abs() <= 1e-5).all()), others.expand_as(seen)
    if mask.dim() == 4 and mask.shape[1] > 1 and not is_ignored:
        heads, length = len(seen), seen.shape[-1]
        masks = mask.expand(heads, heads, length, length)
        return proofs.masks_of_other_heads(seen, masks, others)
    if mask.dim() == 3 and not is_ignored:
        other = torch.cat([mask[:1].roll(1, dims=-1), mask[1:]])  # no row of it loses a key
        outputs = (run(expect, attention, x, each) for each in (mask, other))
        if (reason := proofs.masks_of_other_samples(*outputs)) is not None:
            return reason
    return proofs.reading_of(seen, allowed, others, is_ignored)


def expect_hidden_tokens_do_not_matter(probe, expect, attention, x, shape, keep):
    """Require that no output depends on a token that a mask hides; x is (H, T, D)."""
    mask, allowed, others = drawn_mask(probe, shape, len(x), keep)
    expect_answer(expect, attention, x)
    moved = influence(probe, expect, attention, x, mask)
    hidden = torch.where(allowed | ~others, 0.0, moved)
    expect.close(
        hidden,
        torch.zeros_like(hidden),
        what="change by hidden tokens",
        atol=1e-5,
        why=lambda: reading(expect, attention, x, mask, moved > 1e-5, allowed, others),
    )


def expect_allowed_tokens_matter(probe, expect, attention, x, shape, keep):
    """Require that every output depends on all tokens that a mask shows it; x is (H, T, D)."""
    mask, allowed, others = drawn_mask(probe, shape, len(x), keep)
    expect_answer(expect, attention, x)
    moved = influence(probe, expect, attention, x, mask)
    expect.true(
        bool((moved[allowed & others] > 1e-4).all()),
        observed="an output ignores a token that it may attend to",
        expected="every output depends on the tokens that it may attend to",
        why=lambda: reading(expect, attention, x, mask, moved > 1e-4, allowed, others),
    )
