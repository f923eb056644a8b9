"""Small calls of a5.cache, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import parameters, refuses
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

ONE = (1,)

SMALL_CALLS = (
    SmallCall(
        "KVCacheAttention",
        {"x": Numbers("1 T H*Dh")},
        {"output": "1 T H*Dh"},
        made=(Size("H*Dh"), Size("H")),
        methods=("prefill",),
    ),
    SmallCall(
        "KVCacheAttention",
        {"start": Numbers("1 T H*Dh"), "x": Numbers("1 U H*Dh")},
        {"output": "1 U H*Dh"},
        made=(Size("H*Dh"), Size("H")),
        methods=("prefill", "step"),
    ),
    *(
        SmallCall(
            "sliding_window_attention",
            {
                "query": Numbers("T Dh"),
                "key": Numbers("T Dh"),
                "value": Numbers("T Dv"),
                "window": window,
            },
            {"output": "T Dv"},
            sizes={"T": (1, 2), "Dv": ONE},
        )
        for window in (1, 2)
    ),
    parameters("KVCacheAttention", "2, 1", 24),
    refuses("KVCacheAttention", "KVCacheAttention(3, 2)"),
    SmallCall(
        "KVCacheAttention",
        {"start": Numbers("1 1 D"), "next": Numbers("1 1 D"), "x": Numbers("1 1 D")},
        {"output": "1 1 D"},
        made=(Size("D"), 1),
        methods=("prefill", "step", "step"),
    ),
    *(
        SmallCall(
            "sliding_window_attention",
            {"x": Numbers("T Dh"), "value": Numbers("T Dv")},
            {"output": "T Dv"},
            steps=(f"shown = sliding_window_attention(x, x, value, {window})",),
            sizes={"T": (tokens,), "Dh": (width,), "Dv": ONE},
        )
        for tokens, width, window in ((2, 2, 2), (3, 1, 2), (4, 1, 2), (4, 1, 3))
    ),
    SmallCall(
        "sliding_window_attention",
        {"x": Fixed("2 2", (1, 0, 1, 1)), "value": Fixed("2 1", (0, 10))},
        {"output": "T Dv"},
        steps=("shown = sliding_window_attention(x, x, value, 2)",),
    ),
    SmallCall(
        "sliding_window_attention",
        {"x": Fixed("2 2 1", (1, 2, 3, 4))},
        {"output": ""},
        steps=("x = x.transpose(0, 1)", "shown = sliding_window_attention(x, x, x, 1)"),
    ),
)
