"""Small calls of a3.packed, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses, turned
from grader.judge.smallest.small_calls import Fixed, Mask, Numbers, Size, SmallCall

TWO = (2,)

TURNED_TOKENS = {"x": Fixed("2 2 1", (1, 2, 3, 4))}

SMALL_CALLS = (
    SmallCall(
        "PackedMultiHeadAttention",
        {"x": Numbers("1 T H*Dh")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "PackedMultiHeadAttention",
        {"x": Numbers("1 T H*Dh"), "mask": Mask("T T")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
    ),
    SmallCall(
        "PackedMultiHeadAttention",
        {"x": Numbers("B T H*Dh")},
        {"output": "B T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
        sizes={"B": TWO},
    ),
    SmallCall(
        "pack_qkv",
        {"w_query": Numbers("D E"), "w_key": Numbers("D E"), "w_value": Numbers("D E")},
        {"packed": "X E"},
    ),
    SmallCall(
        "pack_qkv",
        {"w_query": Numbers("D"), "w_key": Numbers("D"), "w_value": Numbers("D")},
        {"packed": "X"},
    ),
    SmallCall("unpack_qkv", {"w": Numbers("3*D")}, {"query": "D", "key": "D", "value": "D"}),
    SmallCall(
        "unpack_qkv", {"w": Numbers("3*D E")}, {"query": "D E", "key": "D E", "value": "D E"}
    ),
    parameters("PackedMultiHeadAttention", "2, 1", 24),
    refuses("PackedMultiHeadAttention", "PackedMultiHeadAttention(3, 2)"),
    turned("PackedMultiHeadAttention", "module(x.transpose(0, 1))", TURNED_TOKENS, (1, 1)),
)
