"""The red team: submissions that try to gain points, read secrets or break a batch."""
