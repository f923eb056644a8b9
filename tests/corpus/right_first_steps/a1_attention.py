import torch
import torch.nn as nn


def dot_product_loop(a, b):
    res = 0.
    for idx, element in enumerate(a):
        res += element * b[idx]
    return res


def attention_scores(query, key):
    return torch.matmul(query, key.transpose(-1, -2))


def context_vector(weights, values):
    context_vec = torch.zeros(values.shape[1:], dtype=values.dtype)
    for i, x_i in enumerate(values):
        context_vec = context_vec + weights[i] * x_i
    return context_vec


def simple_self_attention(x):
    attn_scores = attention_scores(x, x)
    attn_weights = torch.softmax(attn_scores, dim=-1)
    all_context_vecs = attn_weights @ x
    return all_context_vecs, attn_weights


class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        keys = x @ self.W_key
        queries = x @ self.W_query
        values = x @ self.W_value
        attn_scores = queries @ keys.transpose(-2, -1)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values


class SelfAttentionV2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(-2, -1)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values


def copy_v2_to_v1(v2, v1):
    if v2.W_query.bias is not None:
        raise ValueError("v1 has no biases")
    v1.W_query = nn.Parameter(v2.W_query.weight.detach().T.clone())
    v1.W_key = nn.Parameter(v2.W_key.weight.detach().T.clone())
    v1.W_value = nn.Parameter(v2.W_value.weight.detach().T.clone())


# demo
inputs = torch.tensor(
    [[0.43, 0.15, 0.89],
     [0.55, 0.87, 0.66],
     [0.57, 0.85, 0.64]]
)
print(simple_self_attention(inputs))
