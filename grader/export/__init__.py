"""A whole class's results, for spreadsheets and learning platforms."""
