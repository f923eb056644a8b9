"""`python -m grader` is `grader`."""

from grader.cli import run

run()
