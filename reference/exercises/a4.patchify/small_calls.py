"""Small calls of a4.patchify, among which a counterexample to a wrong answer is looked for."""

from grader.judge.smallest.calls_by_steps import refuses, turned
from grader.judge.smallest.small_calls import Fixed, Numbers, Size, SmallCall

IMAGE = {"images": Numbers("1 C X*P Y*P")}

SMALL_CALLS = (
    SmallCall("patchify", {**IMAGE, "patch_size": Size("P")}, {"patches": "1 N E"}),
    SmallCall(
        "unpatchify",
        {
            "patches": Numbers("1 X*Y P*P*C"),
            "patch_size": Size("P"),
            "height": Size("X*P"),
            "width": Size("Y*P"),
        },
        {"images": "1 C X*P Y*P"},
    ),
    refuses("patchify", "patchify(images, 2)", given={"images": Fixed("1 1 2 3", range(6))}),
    turned("patchify", "patchify(images.mT, 1)", {"images": Fixed("1 1 2 2", range(4))}),
    refuses(
        "unpatchify", "unpatchify(patches, 2, 3, 2)", given={"patches": Fixed("1 1 4", range(4))}
    ),
    refuses(
        "unpatchify", "unpatchify(patches, 1, 1, 1)", given={"patches": Fixed("1 2 1", range(2))}
    ),
    turned("unpatchify", "unpatchify(patches.mT, 1, 1, 2)", {"patches": Fixed("1 2 2", range(4))}),
)
