from collections.abc import Sequence
import torch
from torch import nn

def sinusoidal_positions(T: int, dim: int) -> torch.Tensor:
    if dim % 2 != 0:
        raise ValueError(f'a width of {dim} cannot be divided into pairs of sine and cosine')
    position = torch.arange(T, dtype=torch.float64)
    pair = torch.arange(0, dim, 2, dtype=torch.float64)
    angle = position[:, None] / 10000.0 ** (pair / dim)
    table = torch.stack([angle.sin(), angle.cos()], dim=-1)
    return table.flatten(1).to(torch.get_default_dtype())

def apply_rope(x: torch.Tensor, positions: torch.Tensor, base: float=10000.0) -> torch.Tensor:
    half = torch.arange(0, x.shape[-1], 2, dtype=torch.float64, device=x.device)
    frequency = base ** (-half / x.shape[-1])
    angle = positions.to(torch.float64)[:, None] * frequency
    cos, sin = (angle.cos().to(x.dtype), angle.sin().to(x.dtype))
    first, second = x.chunk(2, dim=-1)
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.cat(turned, dim=-1)

class PackedMultiHeadAttention(nn.Module):

    def __init__(self, emb_size: int, num_heads: int, dropout: float=0.0) -> None:
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f'{num_heads} heads do not divide a width of {emb_size}')
        self.num_heads: int = num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.projection = nn.Linear(emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        samples, tokens, width = x.shape
        qkv = self.qkv(x).view(samples, tokens, 3, self.num_heads, -1)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** (-0.5)
        weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
        merged = (self.dropout(weights) @ value).transpose(1, 2).reshape(samples, tokens, width)
        result: torch.Tensor = self.projection(merged)
        return result

class CrossAttention(nn.Module):

    def __init__(self, query_dim: int, memory_dim: int, emb_size: int, num_heads: int) -> None:
        super().__init__()
        if emb_size % num_heads:
            raise ValueError(f'{num_heads} heads do not divide a width of {emb_size}')
        self.num_heads: int = num_heads
        self.W_query = nn.Linear(query_dim, emb_size)
        self.W_key = nn.Linear(memory_dim, emb_size)
        self.W_value = nn.Linear(memory_dim, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)

    def forward(self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None=None) -> torch.Tensor:
        batch, tokens, _ = x.shape
        by_head = (batch, -1, self.num_heads, self.W_query.out_features // self.num_heads)
        query = self.W_query(x).view(by_head).transpose(1, 2)
        key = self.W_key(memory).view(by_head).transpose(1, 2)
        value = self.W_value(memory).view(by_head).transpose(1, 2)
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** (-0.5)
        if memory_mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            hidden = ~memory_mask[:, None, None, :]
            scores = scores.masked_fill(hidden & ~hidden.all(dim=-1, keepdim=True), -torch.inf)
            weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
        merged = (weights @ value).transpose(1, 2).reshape(batch, tokens, -1)
        result: torch.Tensor = self.out_proj(merged)
        return result

class FeedForward(nn.Module):

    def __init__(self, emb_size: int, expansion: int=4, dropout: float=0.0) -> None:
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = self.dropout(self.activation(self.fc1(x)))
        result: torch.Tensor = self.dropout(self.fc2(wide))
        return result

class DecoderBlock(nn.Module):

    def __init__(self, emb_size: int, num_heads: int, expansion: int=4, dropout: float=0.0) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.self_attention = PackedMultiHeadAttention(emb_size, num_heads, dropout)
        self.norm2 = nn.LayerNorm(emb_size)
        self.cross_attention = CrossAttention(emb_size, emb_size, emb_size, num_heads)
        self.norm3 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion, dropout)

    def forward(self, x: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None=None) -> torch.Tensor:
        tokens = x.shape[1]
        causal = torch.ones(tokens, tokens, dtype=torch.bool, device=x.device).tril()
        x = self.norm1(x + self.self_attention(x, causal))
        x = self.norm2(x + self.cross_attention(x, memory, memory_mask))
        x = self.norm3(x + self.mlp(x))
        return x

class Decoder(nn.Module):

    def __init__(self, depth: int, emb_size: int, num_heads: int, vocab_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_size)
        self.blocks = nn.ModuleList((DecoderBlock(emb_size, num_heads) for _ in range(depth)))
        self.norm = nn.LayerNorm(emb_size)
        self.output = nn.Linear(emb_size, vocab_size)

    def forward(self, tokens: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor | None=None) -> torch.Tensor:
        x = self.embedding(tokens)
        x = x + sinusoidal_positions(x.shape[1], x.shape[2]).to(x)
        for block in self.blocks:
            x = block(x, memory, memory_mask)
        logits: torch.Tensor = self.output(self.norm(x))
        return logits

class KVCacheAttention(nn.Module):
    keys: torch.Tensor | None
    values: torch.Tensor | None

    def __init__(self, emb_size: int, num_heads: int) -> None:
        super().__init__()
        self.W_query = nn.Linear(emb_size, emb_size)
        self.W_key = nn.Linear(emb_size, emb_size)
        self.W_value = nn.Linear(emb_size, emb_size)
        self.out_proj = nn.Linear(emb_size, emb_size)
        if emb_size % num_heads != 0:
            raise ValueError(f'a width of {emb_size} cannot be divided among {num_heads} heads')
        self.num_heads = num_heads
        self.keys = self.values = None

    def prefill(self, x: torch.Tensor) -> torch.Tensor:
        self.keys = self.values = None
        return self.step(x)

    def step(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        by_head = (batch, tokens, self.num_heads, -1)
        query = self.W_query(x).view(by_head).transpose(1, 2)
        key = self.W_key(x).view(by_head).transpose(1, 2)
        value = self.W_value(x).view(by_head).transpose(1, 2)
        if self.keys is not None and self.values is not None:
            key = torch.cat([self.keys, key], dim=2)
            value = torch.cat([self.values, value], dim=2)
        self.keys, self.values = (key.detach(), value.detach())
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** (-0.5)
        allowed = torch.ones_like(scores, dtype=torch.bool).tril()
        weights = torch.softmax(scores.masked_fill(~allowed, -torch.inf), dim=-1)
        context = (weights @ value).transpose(1, 2).reshape(batch, tokens, width)
        output: torch.Tensor = self.out_proj(context)
        return output

def sliding_window_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int) -> torch.Tensor:
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** (-0.5)
    place = torch.arange(query.shape[-2], device=query.device)
    distance = place[:, None] - place
    allowed = (distance >= 0) & (distance < window)
    weights = torch.softmax(scores.masked_fill(~allowed, -torch.inf), dim=-1)
    return weights @ value

def online_softmax(chunks: Sequence[torch.Tensor]) -> torch.Tensor:
    largest = torch.full_like(chunks[0][..., :1], -torch.inf)
    total = torch.zeros_like(largest)
    for chunk in chunks:
        grown = torch.maximum(largest, chunk.detach().amax(dim=-1, keepdim=True))
        origin = grown.masked_fill(grown == -torch.inf, 0.0)
        total = total * torch.exp(largest - origin)
        total = total + torch.exp(chunk - origin).sum(dim=-1, keepdim=True)
        largest = grown
    powers = torch.cat([torch.exp(chunk - origin) for chunk in chunks], dim=-1)
    return powers / total.masked_fill(total == 0, 1.0)

def chunked_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, block_size: int, mask: torch.Tensor | None=None) -> torch.Tensor:
    tokens, keys = (query.shape[-2], key.shape[-2])
    query = query * query.shape[-1] ** (-0.5)
    if mask is not None:
        mask = mask.expand(torch.broadcast_shapes(mask.shape, (tokens, keys)))
    largest = query.new_full((*query.shape[:-1], 1), -torch.inf)
    total = torch.zeros_like(largest)
    mixed = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, keys, block_size):
        block = slice(start, start + block_size)
        scores = (query @ key.transpose(-2, -1))[..., block]
        if mask is not None:
            scores = scores.masked_fill(~mask[..., block], -torch.inf)
        grown = torch.maximum(largest, scores.detach().amax(dim=-1, keepdim=True))
        origin = grown.masked_fill(grown == -torch.inf, 0.0)
        shrink, powers = (torch.exp(largest - origin), torch.exp(scores - origin))
        total = total * shrink + powers.sum(dim=-1, keepdim=True)
        mixed = mixed * shrink + powers @ value[..., block, :]
        largest = grown
    return mixed / total.masked_fill(total == 0, 1.0)
