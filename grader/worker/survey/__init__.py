"""What can be said of a submission's text before any of it runs.

Read by a worker that has executed nothing yet: hostile text costs that worker and nobody else, and
no student code has had a hand in the answer.
"""

from .survey import Wanted as Wanted
from .survey import survey as survey
