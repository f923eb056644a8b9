"""Small calls of a5.online, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.small_calls import Fixed, Mask, Numbers, SmallCall

ATTENTION = {"query": Numbers("S Dh"), "key": Numbers("L Dh"), "value": Numbers("L Dv")}

ONE = (1,)

SMALL_CALLS = (
    SmallCall("online_softmax", {"chunks": (Numbers("T"), Numbers("U"))}, {"shares": "L"}),
    SmallCall("online_softmax", {"chunks": (Numbers("X T"), Numbers("X U"))}, {"shares": "X L"}),
    *(
        SmallCall(
            "chunked_attention",
            {**ATTENTION, "block_size": size},
            {"output": "S Dv"},
            sizes={"Dv": ONE, "L": (1, 2, 3)},
        )
        for size in (1, 2)
    ),
    SmallCall(
        "chunked_attention",
        {**ATTENTION, "block_size": 1, "mask": Mask("S L")},
        {"output": "S Dv"},
        sizes={"Dv": ONE},
    ),
    SmallCall(
        "chunked_attention",
        {"x": Fixed("2 2 1", (1, 2, 3, 4))},
        {"output": ""},
        steps=("x = x.transpose(0, 1)", "shown = chunked_attention(x, x, x, 1)"),
    ),
)
