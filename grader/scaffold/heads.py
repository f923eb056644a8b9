"""What stands around the examples of `grader new`: file heads, the rubric's entry."""

from __future__ import annotations

from string import Template

REFERENCE_HEAD = Template('''\
"""TODO($slug): the title of the assignment.

TODO($slug): what it is about, and why.

Shape letters: B batch, D width.
"""

import torch
$nn
''')

MISCONCEPTIONS_HEAD = Template('''\
"""Mistakes that people make in $stem."""

from grader.misconceptions import Misconception

MISCONCEPTIONS = (
)
''')

VARIANTS_HEAD = Template('''\
"""Other right ways to write $stem."""

from grader.misconceptions import Variant

VARIANTS = (
)
''')

BLANK_ANSWERS = '''\
"""What answers may earn in which nobody understood anything.

`grader validate` makes answers of zeros, ones, constants, random numbers and the input itself for
every exercise. Such an answer earns nothing, but for these criteria.
"""

MAY_EARN = {
    "shapes": "zeros of the right shape have the right shape",
    "state": "an input left alone says nothing about values",
}
"""Criterion, or slug/criterion -> why any blank answer may earn it."""
'''

RUBRIC_HEAD = Template("""\
# The only place with points.
course: $course
# The course's own seed: the checks marked `fresh` draw from it and from the submission.
# Whoever has it can predict them.
seed: $seed
assignments:
  $prefix: $stem

exercises:
""")

RUBRIC_ENTRY = Template("""\
$slug:  # TODO($slug): points, criteria, and what may not be used (banned)
  targets: [$target]
  criteria:
    shapes:    {points: 1, visibility: public}
    outputs:   {points: 6, visibility: public}
    gradients: {points: 2, visibility: hidden, requires: [outputs]}
    state:     {points: 1, visibility: hidden}
""")
