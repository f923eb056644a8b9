"""A whole course of another subject. Its suites are run by the grader and not by pytest."""

collect_ignore = ["tests"]
