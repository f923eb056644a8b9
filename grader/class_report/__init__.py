"""Report on a graded class for its staff: one page, and a CSV file for every table in it."""
