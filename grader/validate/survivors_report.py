"""Write the output of `grader validate --mutants`, as text and as data."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .survivors import MutantSurvey

FORMAT = "grader mutants 1"


def survey_text(survey: MutantSurvey) -> str:
    """Return the report for a terminal: a line for each kind of edit, then every hole."""
    tried = Counter(result.trial.mutant.operator for result in survey.tried)
    survive = Counter(r.trial.mutant.operator for r in survey.tried if not r.killer)
    width = max(map(len, tried), default=0)
    lines = [
        f"{operator:<{width}}  {count:>5} edits, {survive[operator]:>3} that no check notices"
        for operator, count in sorted(tried.items())
    ]
    killed = sum(bool(result.killer) for result in survey.tried)
    lines.append(
        f"{len(survey.tried)} edits: {killed} noticed, "
        f"{len(survey.equal)} right for a stated reason"
    )
    lines += [str(gap) for gap in survey.gaps] or ["no gaps"]
    return "\n".join(lines)


def survey_json(survey: MutantSurvey) -> dict[str, Any]:
    """Return the same as data: every edit with the check that notices it, or the reason."""
    reasons = {result.trial.id: why.why for result, why in survey.equal}
    return {
        "format": FORMAT,
        "edits": [
            {
                "place": f"reference/{result.trial.stem}.py:{result.trial.mutant.line}",
                "definition": result.trial.definition,
                "edit": result.trial.edit,
                "noticed_by": result.killer or None,
                "right_because": reasons.get(result.trial.id),
            }
            for result in survey.tried
        ],
        "gaps": [
            {"file": gap.file, "line": gap.line, "message": gap.message, "next": gap.next}
            for gap in survey.gaps
        ],
    }
