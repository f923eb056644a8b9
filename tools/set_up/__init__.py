"""Sets up `.venv` for `make`: what a student needs, or what a developer needs besides.

Standard library only, and old syntax: it has to run on whatever `python3` is there, if only to
say that it is too old, or to go on with a newer one.
"""
