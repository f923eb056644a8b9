"""Run `grader` as `python -m grader`."""

import os
import sys

if sys.path[0] in ("", os.getcwd()) and not sys.flags.safe_path:  # noqa: PTH109 - before any import
    # Python put the working folder there, which may be a student's: nothing is imported from it.
    del sys.path[0]

from grader.cli.cli import run

run()
