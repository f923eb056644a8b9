"""Moments of rows."""


def spread(rows):
    """Return the standard deviation of each row."""
    return rows.var(dim=-1, keepdim=True, unbiased=False).sqrt()
