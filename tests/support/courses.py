"""Small courses of other subjects, made on the spot."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from grader.submission.submission import Submission, digest_of

RUBRIC = """\
course: toy
seed: {seed}
assignments: {{t1: t1_toy}}
exercises:
  t1.toy:
    targets: [{targets}]
    criteria:
      outputs: {{points: 4, visibility: public}}
"""


def write_course(
    root: Path, *, targets: str, reference: str, suite: str, stub: str = "", seed: str = "toy-seed"
) -> Path:
    """A course with one public exercise `t1.toy`; returns its root."""
    files = {
        "rubric.yaml": RUBRIC.format(seed=seed, targets=targets),
        "reference/t1_toy.py": reference,
        "assignments/t1_toy.py": stub or "\n",
        "tests/suites/t1_toy/public/test_toy.py": suite,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return root


def submission(files: Mapping[str, str], id: str = "student-001") -> Submission:
    """A submission that was never on disk."""
    data = {name: textwrap.dedent(text).encode() for name, text in sorted(files.items())}
    return Submission(id=id, files=data, digest=digest_of(data), path=id)
