"""Answers in which nobody understood anything, and what they may earn all the same."""

from grader.misconceptions import BlankAnswer

MAY_EARN = {
    "shapes": "zeros of the right shape have the right shape, and errors come before any answer",
    "state": "parameters and images left alone say nothing about values",
}

BLANK_ANSWERS = (
    BlankAnswer(
        id="blank: the mean of the whole image in f1.blur",
        target="box_blur",
        edits=(("windows.mean(dim=(3, 4))", "images.mean(dim=(1, 2), keepdim=True) + 0 * images"),),
    ),
)
