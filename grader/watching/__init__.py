"""`grader check --watch`: what a save changes, what is known so far, keys, and the screen."""
