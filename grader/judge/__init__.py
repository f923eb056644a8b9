"""The trusted side: the only code that sees suites and reference."""
