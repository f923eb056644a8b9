import torch
from einops import einsum, rearrange
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ):
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"cannot share a width of {d_out} among {num_heads} heads")
        self.heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p = dropout

    def split(self, x: Tensor) -> Tensor:
        return rearrange(x, "b t (h d) -> b h t d", h=self.heads)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (self.split(f(x)) for f in (self.W_query, self.W_key, self.W_value))
        scores = einsum(q, k, "b h i d, b h j d -> b h i j") / q.shape[-1] ** 0.5
        steps = torch.arange(x.shape[1], device=x.device)
        seen = rearrange(steps, "i -> i 1") >= rearrange(steps, "j -> 1 j")
        scores = torch.where(seen, scores, torch.finfo(scores.dtype).min)
        weights = nn.functional.dropout(scores.softmax(-1), self.p, self.training)
        out = einsum(weights, v, "b h i j, b h j d -> b h i d")
        return self.out_proj(rearrange(out, "b h t d -> b t (h d)"))
