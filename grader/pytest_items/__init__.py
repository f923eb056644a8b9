"""`pytest --grader`: every public check as an item of pytest, for the test views of editors."""
