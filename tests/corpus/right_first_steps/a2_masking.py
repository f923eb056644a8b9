import torch


def causal_mask(T, offset=0, device=None):
    mask_simple = torch.tril(torch.ones(T, T + offset, device=device), diagonal=offset)
    return mask_simple.bool()


def mask_then_renormalise(weights, mask):
    masked_simple = weights * mask.to(weights.dtype)
    row_sums = masked_simple.sum(dim=-1, keepdim=True)
    row_sums = torch.where(row_sums == 0, torch.ones_like(row_sums), row_sums)
    return masked_simple / row_sums


def masked_softmax(scores, mask, dim=-1):
    masked = scores.masked_fill(~mask.bool(), -torch.inf)
    return torch.softmax(masked, dim=dim).nan_to_num(0.0)


def padding_mask(lengths, L):
    positions = torch.arange(L, device=lengths.device)
    mask = positions.unsqueeze(0) < lengths.unsqueeze(1)
    return mask.unsqueeze(1).unsqueeze(2)


def combine_masks(*masks):
    result = None
    for mask in masks:
        if mask is None:
            continue
        result = mask if result is None else torch.logical_and(result, mask)
    return result


def attention_dropout(weights, p, training):
    dropout = torch.nn.Dropout(p)
    if not training:
        dropout.eval()
    return dropout(weights)
