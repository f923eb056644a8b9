"""Other right ways to write assignment 2."""

from grader.misconceptions import Variant

VARIANTS = (
    Variant(
        id="causal_mask.tril",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    return torch.ones(T, T + offset, dtype=torch.bool, device=device).tril(diagonal=offset)
""",
    ),
    Variant(
        # The triangle of notebook 002, which is one where a key is hidden.
        id="causal_mask.not_triu",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    hidden = torch.triu(torch.ones(T, T + offset, device=device), diagonal=1 + offset)
    return ~hidden.bool()
""",
    ),
    Variant(
        id="causal_mask.past_beside_triangle",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    past = torch.ones((T, offset), dtype=torch.bool, device=device)
    new = torch.eye(T, device=device).cumsum(0) > 0
    return torch.cat([past, new], dim=1)
""",
    ),
    Variant(
        id="causal_mask.row_by_row",
        target="causal_mask",
        source="""
def causal_mask(T, offset=0, device=None):
    mask = torch.zeros(T, T + offset, device=device, dtype=bool)
    for i in range(T):
        mask[i, : i + offset + 1] = True
    return mask
""",
    ),
    Variant(
        id="causal.triu_of_ones",
        target="CausalAttention",
        edits=(
            (
                "may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()",
                "may_attend = torch.triu(torch.ones(context_length, context_length), diagonal=1)",
            ),
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)",
                "scores.masked_fill_(self.mask.bool()[:tokens, :tokens], -torch.inf)",
            ),
        ),
    ),
    Variant(
        id="causal.additive_mask",
        target="CausalAttention",
        edits=(
            (
                "may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()",
                'may_attend = torch.full((context_length, context_length), float("-inf")).triu(1)',
            ),
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)",
                "scores = scores + self.mask[:tokens, :tokens]",
            ),
        ),
    ),
    Variant(
        id="causal.positions_compared",
        target="CausalAttention",
        edits=(
            (
                "may_attend = torch.ones(context_length, context_length, dtype=torch.bool).tril()",
                "may_attend = torch.arange(context_length)",
            ),
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)",
                "order = self.mask[:tokens]\n"
                "        scores = scores.masked_fill(order > order[:, None], -torch.inf)",
            ),
        ),
    ),
    Variant(
        id="causal.weights_renormalised",
        target="CausalAttention",
        edits=(
            (
                "scores = scores.masked_fill(~self.mask[:tokens, :tokens], -torch.inf)\n"
                "        weights = self.dropout(torch.softmax(scores, dim=-1))",
                "allowed = self.mask[:tokens, :tokens]\n"
                "        largest = scores.masked_fill(~allowed, -torch.inf).amax(-1, True)\n"
                "        powers = torch.exp((scores - largest).clamp(max=0)) * allowed\n"
                "        weights = self.dropout(powers / powers.sum(dim=-1, keepdim=True))",
            ),
        ),
    ),
    Variant(
        id="causal.buffer_not_in_state",
        target="CausalAttention",
        edits=(
            (
                'self.register_buffer("mask", may_attend)',
                'self.register_buffer("mask", may_attend, persistent=False)',
            ),
        ),
    ),
    Variant(
        id="causal.functional_dropout",
        target="CausalAttention",
        edits=(
            ("self.dropout = nn.Dropout(dropout)", "self.dropout = dropout"),
            (
                "self.dropout(torch.softmax(scores, dim=-1))",
                "nn.functional.dropout(\n"
                "            torch.softmax(scores, dim=-1), self.dropout, training=self.training\n"
                "        )",
            ),
        ),
    ),
)
