"""Make the sections of a class report, one module for each."""
