"""Call student code across the process boundary: clients, handles, limits, faults."""
