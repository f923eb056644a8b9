"""A second set of programs in styles of their own: each edit is proved wrong by an oracle."""
