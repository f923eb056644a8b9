"""Statistics of rows."""

from .moments import spread


def zscore(rows):
    """Return each row with mean 0 and standard deviation 1."""
    return (rows - rows.mean(dim=-1, keepdim=True)) / spread(rows)
