"""Make a grade from observations and a rubric. Pure: no torch, no input, no output."""
