"""The parent's side of grading: jobs, lanes, the process tree and its isolation."""
