"""A suite's checks: collect, run, compare, record evidence."""
