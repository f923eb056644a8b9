"""Run a submission's statements and keep what they define."""
