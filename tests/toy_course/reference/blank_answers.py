"""What answers may earn in which nobody understood anything."""

MAY_EARN = {
    "shapes": "zeros of the right shape have the right shape, and errors come before any answer",
    "state": "parameters and images left alone say nothing about values",
}
