"""The untrusted side: imports the standard library, torch and `grader.wire`, and nothing else."""
