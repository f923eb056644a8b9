"""What answers may earn in which nobody understood anything.

`grader validate` makes answers of zeros, ones, constants, random numbers and the input itself for
every exercise; those that only this course can think of stand with the exercises.
"""

MAY_EARN = {
    "shapes": "zeros of the right shape have the right shape, and errors come before any answer",
    "state": "parameters, buffers and inputs left alone say nothing about values",
}
"""Criterion, or slug/criterion -> why any blank answer may earn it."""
