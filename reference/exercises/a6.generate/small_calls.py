"""Small calls of a6.generate, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import refuses
from grader.judge.smallest.small_calls import SmallCall, Whole

COUNT_ON = "lambda t: torch.nn.functional.one_hot((t + 1) % 5, 5).float()"

COUNT_BY_TWO = "lambda t: torch.nn.functional.one_hot((t + 2) % 5, 5).float()"

ADD_UP = "lambda t: torch.nn.functional.one_hot(t.cumsum(1) % 5, 5).float()"

BEST = "lambda x: x.argmax(-1)"

TWO_WAYS = (("generate", COUNT_ON), ("generate_cached", f"{COUNT_ON}, {COUNT_ON}"))

SMALL_CALLS = (
    *(
        SmallCall(
            name,
            {"tokens": Whole(axes, 5)},
            {"text": "B T"},
            steps=(f"shown = {name}({model}, tokens, {choose}, {rest})",),
            sizes={"T": (1, 2)},
        )
        for name, models in (
            ("generate", (COUNT_ON, ADD_UP)),
            ("generate_cached", (f"{COUNT_ON}, {COUNT_ON}", f"{COUNT_ON}, {COUNT_BY_TWO}")),
        )
        for model, choose, rest in (
            (models[0], BEST, "4"),
            (models[1], BEST, "4"),
            (models[0], "lambda x: x.argmin(-1)", "4"),
            (models[0], BEST, "4, 0"),
            (models[0], BEST, "5, 3"),
        )
        for axes in ("1 T", "2 T")
    ),
    *(
        SmallCall(
            name,
            {"tokens": Whole("1 1", 5)},
            {"whole": ""},
            steps=(f"shown = {name}({model}, tokens, {BEST}, 2).dtype == torch.int64",),
        )
        for name, model in TWO_WAYS
    ),
    *(
        refuses(name, f"{name}({model}, tokens, {BEST}, 1)", given={"tokens": Whole("1 2", 5)})
        for name, model in TWO_WAYS
    ),
)
