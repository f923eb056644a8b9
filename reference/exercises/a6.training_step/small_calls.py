"""Small calls of a6.training_step, among which a counterexample to a wrong answer is looked for."""

from collections.abc import Mapping

from grader.judge.smallest.small_calls import Fixed, Given, SmallCall, Whole

# Each place knows its own token best; or the next one.
SAME_AGAIN = "lambda t: 2.0 * torch.nn.functional.one_hot(t, 3)"

NEXT_ONE = "lambda t: 2.0 * torch.nn.functional.one_hot((t + 1) % 3, 3)"

# A model of two tokens, and one whose parameters are two: each with a number of its own.
ONE_TABLE = (
    "model = torch.nn.Embedding(2, 2)",
    "model.load_state_dict({'weight': weight})",
    "sgd = torch.optim.SGD(model.parameters(), lr=3.0)",
    "tokens = tokens.long()",
)

TWO_LAYERS = (
    "model = torch.nn.Sequential(torch.nn.Embedding(2, 1), torch.nn.Linear(1, 2, bias=False))",
    "model.load_state_dict({'0.weight': first, '1.weight': second})",
    *ONE_TABLE[2:],
)

TABLE = {"weight": Fixed("2 2", (0, 0, 0, 0)), "tokens": Fixed("1 2", (0, 1))}

LAYERS = {
    "first": Fixed("2 1", (1, 3)),
    "second": Fixed("2 1", (1, -1)),
    "tokens": Fixed("1 3", (0, 1, 0)),
}

LOGITS = "shown = model(torch.arange(2))"

def trains(given: Mapping[str, Given], *steps: str, returns: str = "V K") -> SmallCall:
    """Show what a training step leaves of a tiny model, or what it returns."""
    return SmallCall("training_step", given, {"logits": returns}, steps=steps, learns=True)

SMALL_CALLS = (
    *(
        SmallCall(
            "next_token_loss",
            {"tokens": Whole(axes, 3)},
            {"loss": ""},
            steps=(f"shown = next_token_loss({model}, tokens)",),
            sizes={"T": (2, 3)},
        )
        for model in (NEXT_ONE, SAME_AGAIN)
        for axes in ("1 T", "2 T")
    ),
    *(
        SmallCall(
            "next_token_loss",
            {"tokens": Fixed(axes, numbers)},
            {"loss": ""},
            steps=("tokens = tokens.long()", f"shown = next_token_loss({SAME_AGAIN}, tokens)"),
        )
        for axes, numbers in (
            ("1 3", (0, 2, -1)),
            ("1 4", (0, 0, -1, -1)),
            ("2 3", (0, 2, 1, 1, 1, -1)),
            ("2 4", (0, 2, 1, 1, 1, 1, -1, -1)),
        )
    ),
    SmallCall(
        "next_token_loss",
        {"tokens": Whole("1 2", 2)},
        {"has a gradient": ""},
        steps=(
            "model = torch.nn.Embedding(2, 2)",
            "shown = next_token_loss(model, tokens).requires_grad",
        ),
        learns=True,
    ),
    *(
        SmallCall(
            "learning_rate",
            {},
            {"rates": "I"},
            steps=(
                f"rates = [learning_rate(i, {peak}, {warmup}, {steps}) for i in range({count})]",
                "shown = torch.tensor(rates)",
            ),
        )
        for peak, warmup, steps, count in (
            ("2.0", 2, 4, 4),
            ("2.0", 2, 6, 6),
            ("2.0", 0, 2, 2),
            ("2.0", 1, 2, 4),
        )
    ),
    SmallCall(
        "learning_rate",
        {},
        {"is a float": ""},
        steps=("shown = isinstance(learning_rate(0, 2.0, 1, 2), float)",),
    ),
    trains(TABLE, *ONE_TABLE, "training_step(model, sgd, tokens, 1.0)", LOGITS),
    trains(TABLE, *ONE_TABLE, "training_step(model, sgd, tokens, 1.0, 0.1)", LOGITS),
    trains(TABLE, *ONE_TABLE, *["training_step(model, sgd, tokens, 1.0, 9.0)"] * 2, LOGITS),
    trains(LAYERS, *TWO_LAYERS, "training_step(model, sgd, tokens, 1.0, 9.0)", LOGITS),
    trains(LAYERS, *TWO_LAYERS, "training_step(model, sgd, tokens, 1.0, 0.5)", LOGITS),
    trains(TABLE, *ONE_TABLE, "shown = training_step(model, sgd, tokens, 1.0, 9.0)", returns=""),
    trains(
        TABLE,
        *ONE_TABLE,
        "shown = isinstance(training_step(model, sgd, tokens, 1.0, 9.0), float)",
        returns="",
    ),
)
