"""Record what the reference and known mistakes answer: for a kit, and for the next run.

A kit grades without the reference, from its answers to the public checks. The next run on the same
course needs not run the same mistakes again.
"""
