"""Define the requests by which a judge has a worker read a submission's text, or load it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from .files import files_of, sizes_of
from .frame import Message, Meta


@dataclass(frozen=True)
class Wanted:
    """The questions to answer about a submission's text."""

    targets: Mapping[str, tuple[str, ...]]
    """Assignment -> names whose code is read, together with all code they reach."""
    methods: Mapping[str, tuple[str, ...]]
    """Class -> methods that are called from outside."""
    names: tuple[str, ...]
    """Dotted names whose uses are reported."""
    patterns: Mapping[str, tuple[str, ...]]
    """Group -> patterns of code whose places are reported, the better ones first."""


@dataclass(frozen=True)
class LoadPlan:
    """The files to load, and the names that are wanted from them."""

    files: Mapping[str, bytes]
    """The whole submission: relative path -> content."""
    entries: Mapping[str, str]
    """Assignment stem -> path of the file that counts for it if it was edited."""
    targets: Mapping[str, tuple[str, ...]]
    """Assignment stem -> names the exercises look at; other assignments only run if imported."""
    stubs: Mapping[str, Mapping[str, str]]
    """Assignment stem -> target -> `definition_digest` of the hand-out's definition."""
    skip: frozenset[tuple[str, int]] = frozenset()
    """(path, statement index) pairs that ran too long before and are not executed."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Assignment stem -> more files that could be it, the more likely first."""
    counted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of an operation -> the operators of torch whose runs are counted for it."""


def load_request(plan: LoadPlan) -> Meta:
    """Return the request to load a submission, but for the bytes of its files."""
    return {"t": "load", **_encoded(plan)}


def survey_request(plan: LoadPlan, wanted: Wanted) -> Meta:
    """Return the request to read a submission's text, but for the bytes of its files."""
    return {"t": "survey", **_encoded(plan), "wanted": asdict(wanted)}


def load_plan_in(message: Message) -> LoadPlan:
    """Decode the plan of a judge's request. Only a worker does so: it trusts the judge."""
    meta = message.meta
    return LoadPlan(
        files=files_of(meta["files"], message.payload),
        entries=meta["entries"],
        targets=_tuples(meta["targets"]),
        stubs=meta["stubs"],
        skip=frozenset((path, index) for path, index in meta["skip"]),
        others=_tuples(meta["others"]),
        counted=_tuples(meta["counted"]),
    )


def wanted_in(message: Message) -> Wanted:
    """Decode the questions of a judge's request to read a text."""
    meta = message.meta["wanted"]
    return Wanted(
        targets=_tuples(meta["targets"]),
        methods=_tuples(meta["methods"]),
        names=tuple(meta["names"]),
        patterns=_tuples(meta["patterns"]),
    )


def _encoded(plan: LoadPlan) -> Meta:
    return {
        "files": sizes_of(plan.files),
        "entries": dict(plan.entries),
        "targets": dict(plan.targets),
        "stubs": {stem: dict(digests) for stem, digests in plan.stubs.items()},
        "skip": sorted(plan.skip),
        "others": dict(plan.others),
        "counted": dict(plan.counted),
    }


def _tuples(lists: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(items) for name, items in lists.items()}
