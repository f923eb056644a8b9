import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        if d_out % num_heads != 0:
            raise ValueError("The hidden size (%d) is not a multiple of the number of attention heads (%d)" % (d_out, num_heads))
        self.num_attention_heads = num_heads
        self.attention_head_size = int(d_out / num_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(d_in, self.all_head_size, bias=qkv_bias)
        self.key = nn.Linear(d_in, self.all_head_size, bias=qkv_bias)
        self.value = nn.Linear(d_in, self.all_head_size, bias=qkv_bias)
        self.dense = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones((context_length, context_length), dtype=torch.uint8)))

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        x = x.view(*new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        n = hidden_states.size(1)
        attention_scores = attention_scores.masked_fill(self.mask[:n, :n] == 0, float("-inf"))
        attention_probs = nn.Softmax(dim=-1)(attention_scores)
        attention_probs = nn.functional.dropout2d(attention_probs, self.dropout.p, self.training)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        new_context_layer_shape = context_layer.size()[:-2] + (self.all_head_size,)
        context_layer = context_layer.view(*new_context_layer_shape)
        return self.dense(context_layer)
