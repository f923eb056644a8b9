"""Grade on a Dask cluster: each of its workers keeps a course and a warm judge."""
