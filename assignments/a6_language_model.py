"""Assignment 6: a model that writes.

Everything is built: attention, masks, heads, blocks, positions, a cache. What is left is to let
them write. A language model gives a score to every token that could come next. Choose one, append
it, ask again: that is all there is to writing.

The choice is not as simple as it looks. Whoever always takes the best token goes round in circles;
whoever draws from all of them writes nonsense now and then. You write what stands between the two.
Then the loop around it, once in the plain way, and once with a cache. Then the model itself: one
attention that can do what you wrote one by one in assignments 3 and 5, and the layers around it.
And last, what makes a model worth asking: the step that all of its training repeats.

Of the earlier assignments only your `apply_rope` is used. Keep all their files beside this one:
assignment 5 imports what it is built of. If `apply_rope` is not written yet, everything here can be
written and graded all the same; only the training under "See what you built" in the notebook has to
wait.

Torch's own attention and its Transformer layers are not allowed: neither
`F.scaled_dot_product_attention` nor `nn.MultiheadAttention`, and no `nn.TransformerEncoderLayer`.

Shape letters: B batch, T tokens, D model width, H query heads, G key heads, Dh head width, V tokens
in the vocabulary. … stands for any leading axes.
"""

import math
from collections.abc import Callable

import torch
from a5_decoder import apply_rope
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
    of two equally probable tokens stays at the border of top_k or top_p, or whether both do, is up
    to you. The logits are not modified, half precision is computed in float32, and gradients are
    not asked for.

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
    raise NotImplementedError("sampling_probabilities: replace this line with your solution")


def sample(
    logits: torch.Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> torch.Tensor:
    """Return a token for each row of logits, drawn with the probabilities from above.

    All chance has to come from `generator`; None stands for the one of torch itself. A generator
    with the same seed then gives the same text again, whatever was drawn elsewhere, and each call
    draws on from where the last one left it. Every row is drawn on its own. `torch.multinomial`
    draws from rows of probabilities.

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
    raise NotImplementedError("sample: replace this line with your solution")


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
    raise NotImplementedError("generate: replace this line with your solution")


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
    raise NotImplementedError("generate_cached: replace this line with your solution")


class TextAttention(nn.Module):
    """Causal attention as models that write have it: turned, shared, remembered, and short-sighted.

    Four ideas that you wrote one by one meet in here, and each of them stays what it was:

    1. Positions: queries and keys are turned by `apply_rope`, after they were split into heads.
       Values are not.
    2. Groups: H query heads share G key heads and G value heads, as in `GroupedQueryAttention`.
    3. A cache: keys and values of old tokens are kept and not computed again, as in
       `KVCacheAttention`.
    4. A window: a token sees itself and the `window` - 1 tokens before it, as in
       `sliding_window_attention`.

    Written down for query head h, and for a token at position i of the text:

        head_h[i] = softmax(R_i q_h[i] · R_j k_g[j] / √Dh, over i - window < j <= i) v_g[j]
        g = ⌊h / (H / G)⌋, and R_i turns by the position i
        output = Concat(head_0, …, head_{H-1}) W_outᵀ + b_out

    Positions are those in the whole text. The tokens of a step stand behind all that came before
    them, also behind those that the cache has dropped.

    Arguments
        emb_size      D, the width of a token before and after
        num_heads     H, the number of query heads; it must divide D, and Dh = D / H is even
        num_kv_heads  G, the number of key heads, and of value heads; it must divide H
        window        how many tokens a token may see, itself included; at least 1

    Names that the grader looks for, all nn.Linear with bias: `W_query` from D to D, `W_key` and
    `W_value` from D to G · Dh, rows ordered (g d), and `out_proj` from D to D.

    What is kept belongs to one instance, and to one text: it is no parameter and no buffer.

    Example: in one piece, or in two: the outputs are the same.

        >>> attention = TextAttention(16, num_heads=4, num_kv_heads=2, window=3)
        >>> tokens = torch.randn(1, 6, 16)
        >>> whole = attention.prefill(tokens)
        >>> start = attention.prefill(tokens[:, :4])
        >>> rest = attention.step(tokens[:, 4:])
        >>> torch.allclose(torch.cat([start, rest], dim=1), whole, atol=1e-6)
        True
    """

    keys: torch.Tensor | None
    values: torch.Tensor | None
    seen: int

    def __init__(self, emb_size: int, num_heads: int, num_kv_heads: int, window: int) -> None:
        """Create the four linear maps, and begin with nothing seen.

        If num_heads does not divide emb_size, or num_kv_heads does not divide num_heads, raise a
        ValueError whose message contains the two numbers that do not go together.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError("TextAttention.__init__: replace this line with your solution")

    def prefill(self, x: torch.Tensor) -> torch.Tensor:
        """Forget what was seen, take in the beginning of a text, and return its outputs.

        Shapes
            x        (B, T, D), T >= 1, and possibly longer than the window. B may differ from the
                     call before
            returns  (B, T, D), dtype as x's

        Gradients are wanted through this method: it is what training uses. `x` is not modified.

        To write here: everything.
        """
        raise NotImplementedError("TextAttention.prefill: replace this line with your solution")

    def step(self, x: torch.Tensor) -> torch.Tensor:
        """Take in the next tokens of a text, and return their outputs. Called only after `prefill`.

        Shapes
            x        (B, t, D), t >= 1: one token, or a chunk of them
            returns  (B, t, D): what `prefill` of the whole text would give for these t tokens

        A key that no later token can see any more need not be kept: with a window the cache stops
        growing. Whether yours drops it is up to you. If it does, the length of the cache no longer
        says how many tokens were seen. No gradients are asked for here.

        To write here: everything.
        """
        raise NotImplementedError("TextAttention.step: replace this line with your solution")


class FeedForward(nn.Module):
    """The MLP of assignment 4, complete: each token by itself, wide, bent, and narrow again."""

    def __init__(self, emb_size: int, expansion: int = 4) -> None:
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D) → (…, D)."""
        result: torch.Tensor = self.fc2(self.activation(self.fc1(x)))
        return result


class LanguageModelBlock(nn.Module):
    """One layer, complete: your attention for texts, and the MLP, each behind a norm."""

    def __init__(self, emb_size: int, num_heads: int, num_kv_heads: int, window: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = TextAttention(emb_size, num_heads, num_kv_heads, window)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size)

    def forward(self, x: torch.Tensor, start: bool) -> torch.Tensor:
        """(B, t, D) → (B, t, D); `start` says whether a text begins here or goes on."""
        attend = self.attention.prefill if start else self.attention.step
        x = x + attend(self.norm1(x))
        mixed: torch.Tensor = x + self.mlp(self.norm2(x))
        return mixed


class LanguageModel(nn.Module):
    """A decoder without a memory: from the tokens so far to logits of the next one.

        numbers (B, T) → embedding → blocks → norm → output (B, T, V)

    Nothing is added for positions: the attention turns by them. So there is no table that could
    end, and a text may be as long as you like.

    Arguments
        vocab_size    V, how many different tokens there are
        emb_size      D
        depth         number of blocks, each with weights of its own
        num_heads     H of each attention
        num_kv_heads  G of each attention
        window        how many tokens each attention sees

    Names that the grader looks for: `embedding` (nn.Embedding), `blocks` (nn.ModuleList of
    LanguageModelBlock), `norm` (the LayerNorm after the last block) and `output` (nn.Linear with
    bias). The block stands above, complete; a class of your own is as welcome.

    Example: ten tokens to choose from, and a score for each of them at each place.

        >>> model = LanguageModel(10, 16, depth=2, num_heads=4, num_kv_heads=2, window=3)
        >>> model(torch.tensor([[1, 5, 5, 7]])).shape
        torch.Size([1, 4, 10])
        >>> model.step(torch.tensor([[2]])).shape
        torch.Size([1, 1, 10])
    """

    def __init__(
        self,
        vocab_size: int,
        emb_size: int,
        depth: int,
        num_heads: int,
        num_kv_heads: int,
        window: int,
    ) -> None:
        """Create all parts. To write here: everything."""
        super().__init__()
        raise NotImplementedError("LanguageModel.__init__: replace this line with your solution")

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """(B, T) → logits (B, T, V): what training calls. It is `prefill`, and complete."""
        return self.prefill(tokens)

    def prefill(self, tokens: torch.Tensor) -> torch.Tensor:
        """Begin a text, and return the logits of the next token at each place.

        Shapes
            tokens   (B, T) integers from 0 to V - 1
            returns  (B, T, V), raw logits, dtype as the weights'

        Any earlier text is forgotten, in every block.

        To write here: everything.
        """
        raise NotImplementedError("LanguageModel.prefill: replace this line with your solution")

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        """Go on with the text, and return the logits after each of the new tokens.

        Shapes
            tokens   (B, t), t >= 1: one token, or a chunk of them
            returns  (B, t, V): what `prefill` of the whole text would give at these t places

        To write here: everything.
        """
        raise NotImplementedError("LanguageModel.step: replace this line with your solution")


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
    raise NotImplementedError("next_token_loss: replace this line with your solution")


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
    raise NotImplementedError("learning_rate: replace this line with your solution")


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

    To clip, think of the gradients of all the model's parameters as one long vector g. If it is
    longer than max_norm, it is shortened to that length, and its direction stays:

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

    Example: a model that sees only the current token learns to count on.

        >>> model = nn.Embedding(4, 4)
        >>> _ = nn.init.zeros_(model.weight)
        >>> sgd = torch.optim.SGD(model.parameters(), lr=1.0)
        >>> text = torch.tensor([[0, 1, 2, 3]])
        >>> [round(training_step(model, sgd, text, rate=4.0), 2) for _ in range(3)]
        [1.39, 0.58, 0.31]

    To write here: everything.
    """
    raise NotImplementedError("training_step: replace this line with your solution")


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # sampling_probabilities
    logits = torch.tensor([0.5, 0.3, 0.2]).log()
    print(sampling_probabilities(logits, top_k=2))
    # tensor([0.6250, 0.3750, 0.0000])
    print(sampling_probabilities(logits, top_p=0.6))
    # tensor([0.6250, 0.3750, 0.0000])
    print(sampling_probabilities(logits, temperature=0))
    # tensor([1., 0., 0.])

    # sample
    logits = torch.zeros(2, 3, 50)
    one = sample(logits, generator=torch.Generator().manual_seed(7))
    two = sample(logits, generator=torch.Generator().manual_seed(7))
    print((one.shape, torch.equal(one, two)))
    # (torch.Size([2, 3]), True)

    # generate
    def count_on(tokens):
        return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
    print(generate(count_on, torch.tensor([[1], [3]]), lambda x: x.argmax(-1), 6, end_token=0))
    # tensor([[1, 2, 3, 4, 0],
    #         [3, 4, 0, 0, 0]])

    # generate_cached
    def count_on(tokens):
        return torch.nn.functional.one_hot((tokens + 1) % 5, 5).float()
    print(generate_cached(count_on, count_on, torch.tensor([[1]]), lambda x: x.argmax(-1), 3))
    # tensor([[1, 2, 3]])

    # TextAttention
    attention = TextAttention(16, num_heads=4, num_kv_heads=2, window=3)
    tokens = torch.randn(1, 6, 16)
    whole = attention.prefill(tokens)
    start = attention.prefill(tokens[:, :4])
    rest = attention.step(tokens[:, 4:])
    print(torch.allclose(torch.cat([start, rest], dim=1), whole, atol=1e-6))
    # True

    # LanguageModel
    model = LanguageModel(10, 16, depth=2, num_heads=4, num_kv_heads=2, window=3)
    print(model(torch.tensor([[1, 5, 5, 7]])).shape)
    # torch.Size([1, 4, 10])
    print(model.step(torch.tensor([[2]])).shape)
    # torch.Size([1, 1, 10])

    # next_token_loss
    def no_idea(tokens):
        return torch.zeros(*tokens.shape, 6)
    print(next_token_loss(no_idea, torch.tensor([[3, 1, 4, 1], [5, 2, -1, -1]])))
    # tensor(1.7918)

    # learning_rate
    print([round(learning_rate(step, 1.0, 4, 8), 3) for step in range(9)])
    # [0.25, 0.5, 0.75, 1.0, 1.0, 0.854, 0.5, 0.146, 0.0]

    # training_step
    model = nn.Embedding(4, 4)
    _ = nn.init.zeros_(model.weight)
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    text = torch.tensor([[0, 1, 2, 3]])
    print([round(training_step(model, sgd, text, rate=4.0), 2) for _ in range(3)])
    # [1.39, 0.58, 0.31]
