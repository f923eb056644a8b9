"""The commands of `grader`: parse, call, print."""
