"""Name the mistake behind failing checks, once all checks have run."""
