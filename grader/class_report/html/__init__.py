"""Make one page of a class report: no other file, no address, and readable without its script."""
