"""A report as a single page that needs no other file, and as a piece of somebody else's page."""
