"""Run the worked solutions like a submission, and remember their answers."""
