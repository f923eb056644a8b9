"""Small calls of a3.cross, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, turned
from grader.judge.smallest.small_calls import Fixed, Mask, Numbers, Size, SmallCall

ONE = (1,)

TWO = (2,)

SMALL_CALLS = (
    SmallCall(
        "CrossAttention",
        {"x": Numbers("1 S D"), "memory": Numbers("1 L E")},
        {"output": "1 S H*Dh"},
        made=(Size("D"), Size("E"), Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("1 S D"), "memory": Numbers("1 L E"), "memory_mask": Mask("1 L")},
        {"output": "1 S H*Dh"},
        made=(Size("D"), Size("E"), Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("B S D"), "memory": Numbers("B L E")},
        {"output": "B S H*Dh"},
        made=(Size("D"), Size("E"), Size("H*Dh"), Size("H")),
        sizes={"B": TWO, "D": ONE, "E": ONE},
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("B S D"), "memory": Numbers("B L D"), "memory_mask": Mask("B L")},
        {"output": "B S H*Dh"},
        made=(Size("D"), Size("D"), Size("H*Dh"), Size("H")),
        sizes={"B": TWO, "D": ONE, "S": ONE, "L": TWO},
    ),
    parameters("CrossAttention", "1, 2, 2, 1", 22),
    refuses("CrossAttention", "CrossAttention(1, 1, 3, 2)"),
    turned(
        "CrossAttention",
        "module(x, memory.transpose(0, 1))",
        {"x": Fixed("2 1 1", (1, 2)), "memory": Fixed("2 2 1", (1, 2, 3, 4))},
        (1, 1, 1, 1),
    ),
    SmallCall(
        "CrossAttention",
        {"x": Numbers("1 S D"), "memory": Numbers("1 L D"), "memory_mask": Mask("B L")},
        {"output": "B S D"},
        made=(1, 1, 2, 2),
        steps=("shown = module(x.repeat(2, 1, 1), memory.repeat(2, 1, 1), memory_mask)",),
        sizes={"B": TWO, "D": ONE, "S": ONE, "L": TWO},
    ),
)
