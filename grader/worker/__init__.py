"""The untrusted side: a process that loads a submission and answers calls about it.

Imports the standard library, torch and `grader.wire`, nothing else of ours.
"""
