"""Write texts for `grader new`: a new exercise, and its place in files that people have written."""


class ScaffoldError(Exception):
    """An exercise that cannot be added. The message has file:line first and the next step last."""
