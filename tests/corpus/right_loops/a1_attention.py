import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    lead = query.shape[:-2]
    S, L = query.shape[-2], key.shape[-2]
    q = query.reshape(-1, S, query.shape[-1])
    k = key.reshape(-1, L, key.shape[-1])
    v = value.reshape(-1, L, value.shape[-1])
    if mask is not None:
        mask = mask.expand(*lead, S, L).reshape(-1, S, L)
    outputs, weights = [], []
    for b in range(q.shape[0]):
        for i in range(S):
            scores = k[b] @ q[b, i] / math.sqrt(q.shape[-1])
            keep = torch.ones(L, dtype=torch.bool)
            if mask is not None and mask.dtype == torch.bool:
                keep = mask[b, i]
            elif mask is not None:
                keep = mask[b, i] > -math.inf
                scores = scores + mask[b, i].to(scores.dtype)
            row = torch.zeros(L, dtype=query.dtype)
            if keep.any():
                where = keep.nonzero()[:, 0]
                row = row.index_put((where,), torch.softmax(scores[where], dim=0))
            weights.append(row)
            outputs.append(row @ v[b])
    output = torch.stack(outputs).reshape(*lead, S, v.shape[-1])
    return output, torch.stack(weights).reshape(*lead, S, L)
