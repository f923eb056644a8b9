"""Texts for `grader new`: a new exercise, and where it goes in files that people have written."""


class ScaffoldError(Exception):
    """Nothing can be added. The message starts with file:line and ends with the next step."""
