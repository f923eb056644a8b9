"""Small calls of a6.sample, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import refuses
from grader.judge.smallest.small_calls import Fixed, Numbers, SmallCall


SMALL_CALLS = (
    SmallCall("sampling_probabilities", {"logits": Numbers("T")}, {"shares": "T"}),
    # Logits that are all different: of equal ones it is not stated which of them go.
    *(
        SmallCall(
            "sampling_probabilities",
            {"logits": Numbers("X Y", distinct=True)},
            {"shares": "X Y"},
            options=one,
            sizes={"Y": (2, 3)},
        )
        for one in (
            {"top_p": 0.6},
            {"top_k": 2},
            {"temperature": 2.0},
            {"top_k": 2, "top_p": 0.7},
            {"temperature": 0.0},
            {"top_p": 0.7},
            {"top_k": 1},
            {"top_k": 9},
        )
    ),
    SmallCall(
        "sampling_probabilities",
        {"logits": Fixed("4", (2, 0, 3, 1))},
        {"shares": "T"},
        options={"top_p": 0.7},
    ),
    *(
        refuses(
            "sampling_probabilities",
            f"sampling_probabilities(logits, {option})",
            given={"logits": Fixed("2", (1, 2))},
        )
        for option in ("temperature=-1.0", "top_k=0", "top_k=-1", "top_p=0.0", "top_p=1.5")
    ),
    SmallCall("sample", {"logits": Fixed("2 2", (0, 100, 100, 0))}, {"tokens": ""}),
    SmallCall("sample", {"logits": Fixed("2", (0, 100))}, {"token": ""}),
    SmallCall(
        "sample",
        {"logits": Fixed("2", (0, 100))},
        {"whole": ""},
        steps=("shown = sample(logits).dtype == torch.int64",),
    ),
)
