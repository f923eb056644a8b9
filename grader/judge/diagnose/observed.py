"""What is seen in answers that no known mistake explains, in the order in which it is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import torch

from ...evidence import Cause
from ...language import _
from ..checks import Check
from ..compare import difference
from ..sight import Pair, Sight
from .families import family_finding
from .finding import Finding
from .knowledge import Knowledge, constants_of
from .shapes import shape_finding
from .values import nonfinite_finding, value_finding


def observed_causes(
    knowledge: Knowledge, failing: Mapping[Check, Sight], again: Callable[[Check], Sight | None]
) -> dict[str, Cause]:
    """Check -> what is to be seen in what it was given, for those where anything is. `again` asks
    the student's code on another draw."""
    pairs = {check: sight.pair for check, sight in failing.items() if sight.pair is not None}
    families = _families(knowledge, pairs, again)
    found: dict[Check, Finding] = {}
    for check, pair in pairs.items():
        words = knowledge.words(constants_of(check.item.module))
        finding = _plain_finding(pair, words, knowledge)
        if finding is None or finding.id.startswith("value."):
            finding = families.get(check) or finding or _leak_finding(failing[check])
        if finding is not None:
            found[check] = finding
    count = Counter(finding.id for finding in found.values())
    return {
        check.id: Cause(f.id, f.told(check.hidden), count[f.id], len(pairs))
        for check, f in found.items()
    }


def _leak_finding(sight: Sight) -> Finding | None:
    """The first output that depends on what it must not, or does not on what it should."""
    if sight.leaks is not None and (leak := sight.leaks.first) is not None:
        text = _(
            "the output at position {output} depends on the input at position {input}, "
            "and must not",
            output=leak[0],
            input=leak[1],
        )
        short = _("an output depends on an input that it must not depend on")
        return Finding("leak.depends", text, short)
    if sight.mixes_samples:
        text = _("a sample's output depends on other samples of the batch")
        return Finding("leak.samples", text)
    if sight.leaks is not None and (gap := sight.leaks.first_missing) is not None:
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
    knowledge: Knowledge, pairs: Mapping[Check, Pair], again: Callable[[Check], Sight | None]
) -> dict[Check, Finding]:
    found = {}
    for family in knowledge.families:
        own = {check: pair for check, pair in pairs.items() if pair.function in family.targets}
        probes = list(own.values())
        if len(own) == 1:
            other = again(next(iter(own)))
            probes += [other.pair] if other is not None and other.pair is not None else []
        finding = family_finding(family, probes) if probes else None
        if finding is not None:
            found.update(dict.fromkeys(own, finding))
    return found


def _plain_finding(pair: Pair, words: Mapping[int, str], knowledge: Knowledge) -> Finding | None:
    """Of the first tensor that is not as it should be: its shape, or else its numbers."""
    both = _first_wrong(pair.observed, pair.expected)
    if both is None:
        return None
    observed, expected = both
    if expected is not None:
        found = shape_finding(observed.shape, expected.shape, words)
        if found is not None:
            return found
    floats = all(t is None or t.is_floating_point() for t in both)
    if observed.is_meta or not floats:
        return None
    found = nonfinite_finding(observed, expected, pair.given, knowledge.empty_row)
    if found is not None or expected is None or expected.is_meta:
        return found
    return value_finding(observed, expected, words)


def _first_wrong(observed: Any, expected: Any) -> tuple[torch.Tensor, torch.Tensor | None] | None:
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
