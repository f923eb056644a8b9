"""Read a submission's text before any of it runs, and report what a course asks about it.

This is done in a worker that has executed nothing yet: hostile text costs that worker and nobody
else, and no student code has had a hand in the answer.
"""

from .survey import survey as survey
