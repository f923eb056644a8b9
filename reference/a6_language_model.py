"""Assignment 6: a model that writes.

Everything is built: attention, masks, heads, blocks, positions, a cache. What is left is to let
them write. A language model gives a score to every token that could come next. Choose one, append
it, ask again: that is all there is to writing.

The choice is not as simple as it looks. Whoever always takes the best token goes round in circles;
whoever draws from all of them writes nonsense now and then. You write what stands between the two.
Then the loop around it, once in the plain way, and once with a cache. And last, what makes a model
worth asking: the step that all of its training repeats.

The model itself stands between them, complete: it puts together what you wrote in assignment 5,
your positions and your attention with a cache. If those are not written yet, everything here can be
written and graded all the same; only the training under "See what you built" has to wait.

Shape letters: B batch, T tokens, D model width, V tokens in the vocabulary. … stands for any
leading axes.
"""

import math
from collections.abc import Callable

import torch
from a5_decoder import FeedForward, KVCacheAttention, sinusoidal_positions
from torch import nn

Tensors = Callable[[torch.Tensor], torch.Tensor]


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

    So with the temperature alone, which is written t here:

        p_i = exp(logit_i / t) / Σ_j exp(logit_j / t)

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


def generate(
    model: Tensors,
    tokens: torch.Tensor,
    choose: Tensors,
    context_length: int,
    end_token: int | None = None,
) -> torch.Tensor:
    """Write on from the beginning of a text, token by token, and return all of it.

    The logits at the *last* place are about the token that comes next. Choose one, append it, and
    run the model on the longer text, again and again, until

    - the text has context_length tokens: the model knows no place beyond them, or
    - every text of the batch has ended.

    A text has ended when end_token was *chosen* for it; that token stays in it. The texts of a
    batch end at different times, and a batch is a rectangle: from there on a text that has ended
    gets end_token in every place, whatever is chosen for it. An end_token in the beginning that was
    given means nothing, and with None no text ends early.

    Arguments
        model           a function: tokens (B, T) in, logits (B, T, V) out, causal
        tokens          (B, T) integers, T >= 1: the beginning. It is not modified
        choose          a function: logits (B, V) in, tokens (B,) out. It is called once for each
                        new place, with all rows: `lambda logits: sample(logits, 0.8)`
        context_length  the longest that a text can be. If T is larger, raise a ValueError whose
                        message contains both numbers
        end_token       the token that ends a text, or None
        returns         (B, T + new tokens), dtype as the tokens'

    Nothing is learned here: run the model under `torch.no_grad()`, or writing keeps in memory what
    only training needs. And run it once for each new place, not more often: the last token that is
    written needs no logits after it.

    Example: a model that always counts on.

        >>> def count_on(tokens):
        ...     return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
        >>> generate(count_on, torch.tensor([[1], [3]]), lambda x: x.argmax(-1), 6, end_token=0)
        tensor([[1, 2, 3, 4, 0],
                [3, 4, 0, 0, 0]])

    To write here: everything.
    """
    # BEGIN SOLUTION
    if tokens.shape[1] > context_length:
        raise ValueError(f"{tokens.shape[1]} tokens do not fit into {context_length} places")
    ended = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device)  # B
    with torch.no_grad():
        while tokens.shape[1] < context_length and not ended.all():
            chosen = choose(model(tokens)[:, -1])  # B
            if end_token is not None:
                chosen = chosen.masked_fill(ended, end_token)
                ended = ended | (chosen == end_token)
            tokens = torch.cat([tokens, chosen[:, None].to(tokens)], dim=1)  # B T
    return tokens
    # END SOLUTION


def generate_cached(
    prefill: Tensors,
    step: Tensors,
    tokens: torch.Tensor,
    choose: Tensors,
    context_length: int,
    end_token: int | None = None,
) -> torch.Tensor:
    """Write the same as `generate`, token for token, with a model that remembers what it has seen.

    Instead of one function there are two, as in `KVCacheAttention` of assignment 5:

    - prefill(tokens) takes the whole beginning, (B, T), and returns logits (B, T, V). It is called
      first, and once.
    - step(tokens) takes only what is new, here (B, 1), and returns its logits (B, 1, V).

    A token that has been chosen has to go through `step` before the next one can be chosen. Also a
    text that has ended takes part in every step: the batch stays a rectangle.

    The other arguments, the result and the rules are those of `generate`: no gradients, no run
    more than is needed, and no run at all if the beginning fills all places.

    Example:

        >>> def count_on(tokens):
        ...     return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
        >>> generate_cached(count_on, count_on, torch.tensor([[1]]), lambda x: x.argmax(-1), 3)
        tensor([[1, 2, 3]])

    To write here: everything.
    """
    # BEGIN SOLUTION
    if tokens.shape[1] > context_length:
        raise ValueError(f"{tokens.shape[1]} tokens do not fit into {context_length} places")
    ended = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device)  # B
    run, latest = prefill, tokens
    with torch.no_grad():
        while tokens.shape[1] < context_length and not ended.all():
            chosen = choose(run(latest)[:, -1])  # B
            if end_token is not None:
                chosen = chosen.masked_fill(ended, end_token)
                ended = ended | (chosen == end_token)
            run, latest = step, chosen[:, None].to(tokens)  # B 1
            tokens = torch.cat([tokens, latest], dim=1)  # B T
    return tokens
    # END SOLUTION


class LanguageModelBlock(nn.Module):
    """One layer, complete: your attention with a cache, and the MLP, each behind a norm."""

    def __init__(self, emb_size: int, num_heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = KVCacheAttention(emb_size, num_heads)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size)

    def forward(self, x: torch.Tensor, start: bool) -> torch.Tensor:
        """(B, t, D) → (B, t, D); `start` says whether a text begins here or goes on."""
        attend = self.attention.prefill if start else self.attention.step
        x = x + attend(self.norm1(x))
        mixed: torch.Tensor = x + self.mlp(self.norm2(x))
        return mixed


class LanguageModel(nn.Module):
    """A decoder without a memory, complete: from the tokens so far to logits of the next one.

    `prefill` begins a text, and `step` goes on with it. Training calls the model itself, which is
    the same as `prefill`.
    """

    def __init__(
        self, vocab_size: int, emb_size: int, depth: int, num_heads: int, context_length: int
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.blocks = nn.ModuleList(LanguageModelBlock(emb_size, num_heads) for _ in range(depth))
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)
        self.positions = sinusoidal_positions(context_length, emb_size)
        self.seen = 0

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(B, T) → logits (B, T, V): what training uses."""
        return self.prefill(tokens)

    def prefill(self, tokens: torch.Tensor) -> torch.Tensor:
        """(B, T) → logits (B, T, V), and forget any other text."""
        return self._logits(tokens, start=True)

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        """(B, t) → logits (B, t, V) of the tokens that come next in the text."""
        return self._logits(tokens, start=False)

    def _logits(self, tokens: torch.Tensor, start: bool) -> torch.Tensor:
        first = 0 if start else self.seen
        self.seen = first + tokens.shape[1]
        x = self.embedding(tokens) + self.positions[first : self.seen].to(self.norm.weight)
        for block in self.blocks:
            x = block(x, start)
        logits: torch.Tensor = self.output(self.norm(x))  # B t V
        return logits


def next_token_loss(model: Tensors, tokens: torch.Tensor) -> torch.Tensor:
    """Return how surprised a model is by the tokens that really came next, as a mean.

    A text of T tokens holds T - 1 questions with their answers. Place 0 is asked for token 1,
    place 1 for token 2, and so on: the answers are the text itself, moved by one. The last token
    asks nothing, since nobody knows what would follow, and the first answers nothing.

        loss = -1/N · Σ log p(tokens[b, i + 1] | tokens[b, 0], …, tokens[b, i])

    The sum runs over all N answers of the batch, so each of them counts the same, whether its text
    is long or short. Texts of a batch that are shorter than the longest one are filled up with -1
    at the end. A -1 is no token: it is nobody's answer and does not count in N, and a model cannot
    be given it. Give it any token instead. In a causal model no place before it will notice.

    Arguments
        model    a function: tokens (B, t) in, logits (B, t, V) out, causal
        tokens   (B, T) integers from 0 to V - 1, or -1 for no token; T >= 2, and at least one
                 answer. They are not modified
        returns  a tensor without axes, with a gradient. The log is the natural one

    `torch.nn.functional.cross_entropy` takes logits (…, V) in two axes, and has an argument for
    answers that do not count.

    Example: a model without any idea, and six tokens to choose from: log 6.

        >>> def no_idea(tokens):
        ...     return torch.zeros(*tokens.shape, 6)
        >>> next_token_loss(no_idea, torch.tensor([[3, 1, 4, 1], [5, 2, -1, -1]]))
        tensor(1.7918)

    To write here: everything.
    """
    # BEGIN SOLUTION
    given, answers = tokens[:, :-1], tokens[:, 1:]  # B T-1
    logits = model(given.clamp(min=0))  # B T-1 V
    return nn.functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=-1)
    # END SOLUTION


def learning_rate(step: int, peak: float, warmup: int, steps: int) -> float:
    """Return how far the step of this number may go: a ramp up, then half a wave down.

    At the beginning nothing is known, and the optimiser's averages are of a handful of gradients:
    long steps would go astray. So the first `warmup` steps grow evenly, and the last of them has
    the full length. From there on half a cosine leads down to 0, slowly at both ends: long steps
    while much is to be learned, short ones to settle.

        step < warmup            peak · (step + 1) / warmup
        warmup <= step < steps   peak · (1 + cos(π · (step - warmup) / (steps - warmup))) / 2
        steps <= step            0

    Arguments
        step     the number of the step, counted from 0 over the whole training
        peak     the largest learning rate
        warmup   how many steps the ramp has; 0 stands for none, and it is less than `steps`
        steps    how many steps the whole training has, the ramp included
        returns  a float

    Example: four steps up, four down. The first is not 0, which would be a step for nothing.

        >>> [round(learning_rate(step, 1.0, 4, 8), 3) for step in range(9)]
        [0.25, 0.5, 0.75, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]

    To write here: everything.
    """
    # BEGIN SOLUTION
    if step < warmup:
        return peak * (step + 1) / warmup
    if step >= steps:
        return 0.0
    share = (step - warmup) / (steps - warmup)
    return peak * (1 + math.cos(math.pi * share)) / 2
    # END SOLUTION


def training_step(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    tokens: torch.Tensor,
    rate: float,
    max_norm: float = 1.0,
) -> float:
    """Improve the model once, on one batch, and return the loss that it had before.

    All of learning is this step, again and again:

    1. The model goes into train mode; somebody may have looked at it in eval mode meanwhile.
    2. The loss of the batch, `next_token_loss`, and its gradients. Gradients are added up by
       `backward`, so those of the step before have to go first.
    3. Gradients are clipped, as below.
    4. `rate` becomes the learning rate of each group of the optimiser: `optimiser.param_groups` is
       a list of dicts, and "lr" is its key.
    5. The optimiser takes its step.

    To clip, think of all gradients of all parameters as one long vector g. If it is longer than
    max_norm, it is shortened to that length, and its direction stays:

        g ← g · min(1, max_norm / ‖g‖)

    A single strange batch can then not throw the model far away. It is one length for all
    parameters together, and a gradient that is short enough stays as it is.

    Arguments
        model      a module: tokens (B, t) in, logits (B, t, V) out
        optimiser  one of `torch.optim`, made for the parameters of the model
        tokens     (B, T) integers, -1 for no token, as above. They are not modified
        rate       the learning rate of this step
        max_norm   the largest length that the gradients may have together
        returns    the loss before the step, as a Python float: a tensor would keep everything in
                   memory that was computed for it

    A parameter without a gradient, such as a frozen one, is left out of the length and stays as it
    is. `torch.nn.utils.clip_grad_norm_` may be used; whether you add 1e-6 to the length, as it
    does, is up to you.

    Example: a model that knows only the token before learns to count on.

        >>> model = nn.Embedding(4, 4)
        >>> _ = nn.init.zeros_(model.weight)
        >>> sgd = torch.optim.SGD(model.parameters(), lr=1.0)
        >>> text = torch.tensor([[0, 1, 2, 3]])
        >>> [round(training_step(model, sgd, text, rate=4.0), 2) for _ in range(3)]
        [1.39, 0.58, 0.31]

    To write here: everything.
    """
    # BEGIN SOLUTION
    model.train()
    optimiser.zero_grad()
    loss = next_token_loss(model, tokens)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    for group in optimiser.param_groups:
        group["lr"] = rate
    optimiser.step()
    return loss.item()
    # END SOLUTION
