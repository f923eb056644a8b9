"""Assignment 6: a model that writes.

Everything is built: attention, masks, heads, blocks, positions, a cache. What is left is to let
them write. A language model gives a score to every token that could come next. Choose one, append
it, ask again: that is all there is to writing.

The choice is not as simple as it looks. Whoever always takes the best token goes round in circles;
whoever draws from all of them writes nonsense now and then. You write what stands between the two.

Shape letters: B batch, T tokens, V tokens in the vocabulary. … stands for any leading axes.
"""

import torch


def sampling_probabilities(
    logits: torch.Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> torch.Tensor:
    """Return the probability with which each token is to be drawn as the next one.

    Three knobs, in this order:

    1. temperature: divide the logits by it, then softmax. Below 1 the best tokens gain, above 1
       all become more alike. 0 stands for the limit, the greedy choice: probability 1 for the
       largest logit, and for the first one of several that are equally large.
    2. top_k: keep the k most probable tokens, give all others 0, and divide by the sum of what is
       left. None keeps all, and so does a k larger than V.
    3. top_p (Holtzman et al., "The Curious Case of Neural Text Degeneration", 2020): keep the
       fewest most probable tokens whose probabilities *after top_k* add up to at least p, give all
       others 0, and divide by the sum again. So the token that crosses the line is kept, and the
       most probable one always is. A p of 1 keeps all.

    With 0.5, 0.3 and 0.2, a p of 0.6 keeps two tokens: 0.5 is not enough, and 0.8 is.

    Shapes
        logits       (…, V), any real numbers; a token of -inf gets 0 (at least one per row is
                     finite)
        temperature  0 or above
        top_k        None, or at least 1
        top_p        above 0 and at most 1
        returns      (…, V), each row adds up to 1, dtype as the logits'

    Any other temperature, top_k or top_p is a ValueError whose message contains the number. Which
    of two equally probable tokens stays at the border of top_k or top_p is up to you. The logits
    are not modified, half precision is computed in float32, and gradients are not asked for.

    Example:

        >>> logits = torch.tensor([0.5, 0.3, 0.2]).log()
        >>> sampling_probabilities(logits, top_k=2)
        tensor([0.6250, 0.3750, 0.0000])
        >>> sampling_probabilities(logits, top_p=0.6)
        tensor([0.6250, 0.3750, 0.0000])
        >>> sampling_probabilities(logits, temperature=0)
        tensor([1., 0., 0.])

    To write here: everything.
    """
    # BEGIN SOLUTION
    if temperature < 0:
        raise ValueError(f"a temperature is 0 or above, and not {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"at least one token has to stay, and top_k is {top_k}")
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p is above 0 and at most 1, and not {top_p}")
    if temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)  # … 1
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    shares, order = torch.softmax(wide / temperature, dim=-1).sort(dim=-1, descending=True)
    if top_k is not None:
        shares[..., top_k:] = 0.0
        shares = shares / shares.sum(dim=-1, keepdim=True)
    if top_p < 1:
        before = shares.cumsum(dim=-1) - shares  # … V
        shares = shares.masked_fill(before >= top_p, 0.0)
        shares = shares / shares.sum(dim=-1, keepdim=True)
    return torch.zeros_like(shares).scatter(-1, order, shares).to(logits.dtype)
    # END SOLUTION


def sample(
    logits: torch.Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """Return a token for each row of logits, drawn with the probabilities from above.

    All chance has to come from `generator`; None stands for the one of torch itself. A generator
    with the same seed then gives the same text again, whatever was drawn elsewhere. Every row is
    drawn on its own. `torch.multinomial` draws from rows of probabilities.

    Shapes
        logits   (…, V)
        returns  (…), int64, from 0 to V - 1: without the last axis

    Example: the same seed gives the same tokens.

        >>> logits = torch.zeros(2, 3, 50)
        >>> one = sample(logits, generator=torch.Generator().manual_seed(7))
        >>> two = sample(logits, generator=torch.Generator().manual_seed(7))
        >>> one.shape, torch.equal(one, two)
        (torch.Size([2, 3]), True)

    To write here: everything.
    """
    # BEGIN SOLUTION
    shares = sampling_probabilities(logits, temperature, top_k, top_p)  # … V
    rows = shares.reshape(-1, shares.shape[-1])
    drawn = torch.multinomial(rows.float(), num_samples=1, generator=generator)
    return drawn.reshape(shares.shape[:-1])
    # END SOLUTION
