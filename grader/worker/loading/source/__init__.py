"""Read a submission's source: statements, names, needs. Runs nothing."""
