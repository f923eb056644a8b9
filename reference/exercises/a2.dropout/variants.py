"""Other right ways to write a2.dropout."""

# %% dropout.module
# As notebook 002 does it.
def attention_dropout(weights, p, training):
    dropout = torch.nn.Dropout(p)
    dropout.train(training)
    return dropout(weights)


# %% dropout.functional
def attention_dropout(weights, p, training):
    return torch.nn.functional.dropout(weights, p=p, training=training)


# %% dropout.bernoulli
def attention_dropout(weights, p, training):
    if training and p > 0:
        keep = torch.empty_like(weights).bernoulli_(1 - p).bool()
        scale = 1 / max(1 - p, 1e-12)
        return torch.where(keep, weights * scale, torch.zeros_like(weights))
    return weights.clone()


# %% dropout.numbers_of_python
import random


def attention_dropout(weights, p, training):
    if not training:
        return weights
    dropped = [random.random() < p for _ in range(weights.numel())]
    dropped = torch.tensor(dropped).reshape(weights.shape)
    return weights.masked_fill(dropped, 0.0) / (1 - p if p < 1 else 1)
