"""Write the results of a class for other systems, and pages and lists for its students."""
