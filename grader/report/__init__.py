"""One submission's report, for people and for programs."""
