"""Write GitLab's code quality report: what to mend, beside the changed lines of a merge request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from grader.export.ci.annotations import Annotation, Level

FILE = "gl-code-quality-report.json"
_SEVERITY = {Level.ERROR: "major", Level.WARNING: "minor", Level.NOTICE: "info"}


def code_quality(annotations: Iterable[Annotation]) -> str:
    """Return the report as JSON. What has no place in a file has none in it."""
    placed = [one for one in annotations if one.file]
    return json.dumps([_issue(one) for one in placed], indent=2, ensure_ascii=False) + "\n"


def _issue(one: Annotation) -> dict[str, object]:
    line = one.line or 1
    # Two issues with the same fingerprint are shown as one.
    identity = "\0".join((one.check, one.file, str(line), one.title, one.message))
    return {
        "description": f"{one.title}\n{one.message}",
        "check_name": one.check or "submission",
        "fingerprint": hashlib.sha256(identity.encode()).hexdigest(),
        "severity": _SEVERITY[one.level],
        "location": {"path": one.file, "lines": {"begin": line}},
    }
