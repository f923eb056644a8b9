"""Put into words what the judge compared, for whoever reads a report."""
