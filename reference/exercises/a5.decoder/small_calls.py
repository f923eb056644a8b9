"""Small calls of a5.decoder, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, turned
from grader.judge.smallest.small_calls import Fixed, Mask, Numbers, Size, SmallCall, Whole

ONE = (1,)

TWO = (2,)

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 T D"), "memory": Numbers("1 L D")},
        {"output": "1 T D"},
        made=(Size("D"), 1, 1),
        sizes={"D": (2, 3)},
    ),
    SmallCall(
        "Decoder",
        {"tokens": Whole("1 T", 2), "memory": Numbers("1 L D")},
        {"logits": "1 T V"},
        made=(1, Size("D"), 1, 2),
        sizes={"D": TWO},
    ),
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 T D"), "memory": Numbers("1 L D"), "memory_mask": Mask("1 L")},
        {"output": "1 T D"},
        made=(Size("D"), 1, 1),
        sizes={"D": TWO, "T": ONE, "L": TWO},
    ),
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 1 2"), "memory": Numbers("1 2 1"), "memory_mask": Mask("B L")},
        {"output": "B T D"},
        made=(2, 1, 1),
        steps=("shown = module(x.repeat(2, 1, 1), memory.repeat(2, 1, 2), memory_mask)",),
        sizes={"B": TWO, "L": TWO},
    ),
    SmallCall(
        "DecoderBlock",
        {"x": Numbers("1 1 2"), "memory": Numbers("2 1 2")},
        {"output": "B T D"},
        made=(2, 1, 1),
        steps=("shown = module(x.repeat(2, 1, 1), memory)",),
    ),
    SmallCall(
        "Decoder",
        {"tokens": Whole("1 T", 2), "memory": Numbers("1 L D"), "memory_mask": Mask("1 L")},
        {"logits": "1 T V"},
        made=(1, Size("D"), 1, 2),
        sizes={"D": TWO, "T": ONE, "L": TWO},
    ),
    SmallCall(
        "Decoder",
        {"tokens": Whole("1 T", 2), "memory": Numbers("1 L D")},
        {"logits": "1 T V"},
        made=(2, Size("D"), 1, 2),
        sizes={"D": TWO},
    ),
    parameters("DecoderBlock", "2, 1, 5", 112),
    parameters("Decoder", "2, 2, 1, 2", 218),
    turned(
        "DecoderBlock",
        "module(x.transpose(0, 1), memory)",
        {**TURNED_TOKENS, "memory": Fixed("2 1 1", (1, 2))},
        (1, 1, 1),
    ),
    turned(
        "DecoderBlock",
        "module(x, memory.transpose(0, 1))",
        {"x": Fixed("2 1 1", (1, 2)), "memory": Fixed("2 2 1", (1, 2, 3, 4))},
        (1, 1, 1),
    ),
)
