"""Read a graded class into plain arrays, by which all of a report is counted."""
