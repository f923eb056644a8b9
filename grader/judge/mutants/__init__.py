"""Make references with known mistakes in them, and run checks on those."""
