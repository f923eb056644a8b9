"""What confines a worker, piece by piece. The tiers that are made of it are in `..isolation`."""
