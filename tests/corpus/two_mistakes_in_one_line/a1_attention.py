import torch


def simple_self_attention(x):
    similar = torch.einsum("...id,...jd->...ij", x, x)
    share = (similar / x.shape[-1] ** 0.5).softmax(1)
    return share @ x, share
