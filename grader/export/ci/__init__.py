"""Report one graded submission to the system that runs the grader: CI, Gradescope and others."""
