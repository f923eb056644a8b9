"""Describe what is seen in answers that no known mistake explains.

What can be seen is tried in a fixed order: what the check itself proves, shape, numbers that are
not finite, a wrong number in the right formula, a simple change of the values, wrong dependencies;
where there are no values, what the exception's words mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...grade.evidence import Cause
from ...text.language import _, course_text
from ..checks.check_trace import CheckTrace, FailedComparison
from ..checks.checks import Check
from ..compare.compare import difference
from .deviations import deviation_finding, gradient_finding
from .families import family_finding
from .finding import Finding
from .knowledge import Knowledge, constants_of
from .raised import raised_finding, refused_finding
from .shapes import length_reading, shape_finding
from .truths import truth_finding
from .values import has_large_numbers, nonfinite_finding, overflow_finding, value_finding

VARIES = "mode.another_each_time"
OF_TWO_CALLS = ("kept.", "leak.", "mode.")
"""What is seen by comparing two calls: outputs that change with every call prove nothing of it."""


def observed_causes(
    knowledge: Knowledge,
    failing: Mapping[Check, CheckTrace],
    explained: Mapping[Check, CheckTrace],
    again: Callable[[Check], CheckTrace | None],
) -> dict[str, Cause]:
    """Return, for each failing check whose values show something, what they show.

    `explained` are the checks that failed for a known mistake. `again` runs a check on another draw
    of its inputs.
    """
    failures = {
        check: trace.failure for check, trace in failing.items() if trace.failure is not None
    }
    families = _families(knowledge, failures, again)
    findings = {
        check: Finding(trace.reason[0], course_text(trace.reason[1]))
        for check, trace in failing.items()
        if trace.reason is not None
    }
    words_of = {check: knowledge.words(constants_of(check.item.module)) for check in failures}
    lengths = {_length_reading(failure, words_of[check]) for check, failure in failures.items()}
    for check, failure in failures.items():
        if check in findings:
            continue
        words = words_of[check]
        finding = _plain_finding(failure, words, knowledge, one_reading=len(lengths - {""}) < 2)
        if finding is None or finding.id.startswith("value."):
            finding = families.get(check) or finding or _leak_finding(failing[check])
        finding = finding or _deviation(failure, words)
        if finding is not None:
            findings[check] = finding
    others = [trace.failure for trace in explained.values() if trace.failure is not None]
    findings |= _overflows(findings, failures, others)
    for check, trace in failing.items():
        if check not in findings and (finding := _finding_without_numbers(trace)) is not None:
            findings[check] = finding
    if any(finding.id == VARIES for finding in findings.values()):
        findings = {
            check: finding
            for check, finding in findings.items()
            if finding.id == VARIES or not finding.id.startswith(OF_TWO_CALLS)
        }
    count = Counter(finding.id for finding in findings.values())
    seen = len({*failures, *findings})
    return {
        check.id: Cause(
            finding.id,
            finding.in_words(check.hidden),
            *((1, 1) if failing[check].reason is not None else (count[finding.id], seen)),
        )
        for check, finding in findings.items()
    }


def _finding_without_numbers(trace: CheckTrace) -> Finding | None:
    """Say what an exception tells, or a None that came instead of an answer."""
    last = trace.compared[-1] if trace.compared else ""
    if last is None:
        return Finding(
            "returned.none",
            _("None comes back in place of an answer: a `return` is missing, or is not reached"),
        )
    if trace.failure is not None:
        return None
    if trace.refused:
        return refused_finding()
    return raised_finding(trace.error_text, last if isinstance(last, str) else "")


def _overflows(
    findings: Mapping[Check, Finding],
    failures: Mapping[Check, FailedComparison],
    others: Sequence[FailedComparison],
) -> dict[Check, Finding]:
    """Tell of numbers that are not finite where large ones were handed in, and nowhere else.

    `others` are the failures of further checks. Rows that may attend to nothing have a reason of
    their own.
    """
    kinds = {
        check: finding.id.partition(".")[0]
        for check, finding in findings.items()
        if check in failures and finding.id.startswith(("nan.", "infinity."))
    }
    empty = {check for check in kinds if findings[check].id.endswith(".empty_rows")}
    infinite = {check: has_large_numbers(failures[check].given) for check in kinds}
    elsewhere = (has_large_numbers(each.given) for each in others if _is_infinite(each))
    if False in [*(large for c, large in infinite.items() if c not in empty), *elsewhere]:
        return {}
    return {
        check: overflow_finding(kinds[check])
        for check, is_large in infinite.items()
        if is_large and check not in empty
    }


def _is_infinite(failure: FailedComparison) -> bool:
    both = _first_wrong(failure.observed, failure.expected)
    if both is None or both[0].is_meta or not both[0].is_floating_point():
        return False
    return not bool(both[0].isfinite().all())


def _leak_finding(trace: CheckTrace) -> Finding | None:
    """Name the first output that depends on a wrong input, or does not depend on a right one."""
    if trace.leaks is not None and (leak := trace.leaks.first) is not None:
        text = _(
            "the output at position {output} depends on the input at position {input}, "
            "and must not",
            output=leak[0],
            input=leak[1],
        )
        short = _("an output depends on an input that it must not depend on")
        return Finding("leak.depends", text, short)
    if trace.mixes_samples:
        text = _("a sample's output depends on other samples of the batch")
        return Finding("leak.samples", text)
    if trace.leaks is not None and (gap := trace.leaks.first_missing) is not None:
        text = _(
            "the output at position {output} does not depend on the input at position {input}, "
            "and should",
            output=gap[0],
            input=gap[1],
        )
        short = _("an output does not depend on an input that it should depend on")
        return Finding("leak.missing", text, short)
    return None


def _families(
    knowledge: Knowledge,
    failures: Mapping[Check, FailedComparison],
    again: Callable[[Check], CheckTrace | None],
) -> dict[Check, Finding]:
    findings = {}
    for family in knowledge.families:
        own = {
            check: failure
            for check, failure in failures.items()
            if failure.function in family.targets
        }
        probes = list(own.values())
        if len(own) == 1:
            other = again(next(iter(own)))
            probes += [other.failure] if other is not None and other.failure is not None else []
        finding = family_finding(family, probes) if probes else None
        if finding is not None:
            findings.update(dict.fromkeys(own, finding))
    return findings


def _length_reading(failure: FailedComparison, words: Mapping[int, str]) -> str:
    """Return what the one length that is wrong may mean; checks that read it otherwise differ."""
    both = _first_wrong(failure.observed, failure.expected)
    if both is None or both[1] is None:
        return ""
    return length_reading(tuple(both[0].shape), tuple(both[1].shape), words)


def _plain_finding(
    failure: FailedComparison, words: Mapping[int, str], knowledge: Knowledge, one_reading: bool
) -> Finding | None:
    """Describe the first wrong tensor: by its shape, or else by its numbers.

    `one_reading`: all checks read a length that is wrong in one way.
    """
    both = _first_wrong(failure.observed, failure.expected)
    if both is None:
        return None
    observed, expected = both
    if expected is not None:
        finding = shape_finding(observed.shape, expected.shape, words, plainly=not one_reading)
        if finding is not None:
            return finding
    if observed.is_meta:
        return None
    if not all(t is None or t.is_floating_point() for t in both):
        if expected is None or expected.is_meta:
            return None
        return truth_finding(observed, expected, words)
    finding = nonfinite_finding(observed, expected, failure.given, knowledge.empty_row)
    if finding is not None or expected is None or expected.is_meta:
        return finding
    return value_finding(observed, expected, words)


def _deviation(failure: FailedComparison, words: Mapping[int, str]) -> Finding | None:
    """Describe by what the first wrong tensor differs, where no simple change makes it right."""
    if isinstance(failure.observed, Mapping) and isinstance(failure.expected, Mapping):
        finding = gradient_finding(failure.observed, failure.expected)
        if finding is not None:
            return finding
    both = _first_wrong(failure.observed, failure.expected)
    if both is None or both[1] is None:
        return None
    if any(
        tensor.is_meta or not tensor.is_floating_point() for tensor in both if tensor is not None
    ):
        return None
    return deviation_finding(both[0], both[1], failure.given, words)


def _first_wrong(observed: Any, expected: Any) -> tuple[torch.Tensor, torch.Tensor | None] | None:
    # Both of a pair may have any shape.
    if isinstance(observed, torch.Tensor):
        if expected is None or isinstance(expected, torch.Tensor):
            return observed, expected
        return None
    if isinstance(observed, Mapping) and isinstance(expected, Mapping):
        names = [name for name in expected if name in observed]
        observed = [observed[name] for name in names]
        expected = [expected[name] for name in names]
    if not isinstance(observed, (list, tuple)) or not isinstance(expected, (list, tuple)):
        return None
    if len(observed) != len(expected):
        return None
    for left, right in zip(observed, expected, strict=True):
        tensors = isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
        if tensors and difference(left, right, atol=1e-6, rtol=1e-6) is not None:
            return left, right
    return None
