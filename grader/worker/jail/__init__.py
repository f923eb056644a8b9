"""The layers that confine a worker, one by one. The tiers that combine them are in `..tiers`."""
