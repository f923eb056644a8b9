"""Small calls of a2.dropout, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Fixed, Shares, SmallCall

TWO_WEIGHTS = {"weights": Fixed("1 2", (1, 1))}

SMALL_CALLS = (
    SmallCall(
        "attention_dropout",
        {"weights": Shares("S L"), "p": 0.5, "training": False},
        {"weights": "S L"},
    ),
    SmallCall(
        "attention_dropout",
        {"weights": Shares("S L"), "p": 0.0, "training": True},
        {"weights": "S L"},
    ),
    # By chance none of 48 entries is 0: in one of a million runs.
    SmallCall(
        "attention_dropout",
        TWO_WEIGHTS,
        {"answers": ""},
        steps=(
            "many = [attention_dropout(weights, 0.25, True) for _ in range(24)]",
            "shown = torch.cat(many).unique()",
        ),
    ),
    SmallCall(
        "attention_dropout",
        TWO_WEIGHTS,
        {"answers": ""},
        steps=(
            "many = [attention_dropout(weights, 0.25, False) for _ in range(24)]",
            "shown = torch.cat(many).unique()",
        ),
    ),
    SmallCall(
        "attention_dropout",
        TWO_WEIGHTS,
        {"shape": ""},
        steps=("shown = attention_dropout(weights, 0.5, True).shape",),
    ),
)
