"""Every number of a class report computed anew: by the definition, in loops, from letters.

Nothing of `grader` is used here but the names of the small course's checks. Each function returns
what a table has to show: by the first words of a row, the text under each heading of a number.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations

from tests.support.made_class import CHECKS

Key = tuple[str, ...]
Table = dict[Key, dict[str, object]]
WORTH = {"s1.add/shapes": 1.0, "s1.add/outputs": 2.5, "s2.mean/outputs": 3.0}
OF_CRITERION = {
    name: [k for k, check in enumerate(CHECKS) if check.startswith(f"{name}/")] for name in WORTH
}
OF_EXERCISE = {"s1.add": list(WORTH)[:2], "s2.mean": list(WORTH)[2:]}
ALL = 6.5
WRONG, EARNED = "fe", "pc"
Z = statistics.NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Pupil:
    """A student who does not exist: the letters of each try, and what is known of the last."""

    id: str
    tries: tuple[str, ...]
    at: tuple[str, ...]
    causes: Mapping[int, str] = field(default_factory=dict)
    prints: Mapping[int, str] = field(default_factory=dict)
    seen: bool = False
    """True if a pattern was seen in its failures, and no name is known."""

    @property
    def last(self) -> str:
        return self.tries[-1]

    @property
    def failed(self) -> list[int]:
        return [k for k, letter in enumerate(self.last) if letter in WRONG]


Class = Sequence[Pupil]


# ---- one student ------------------------------------------------------------------------------


def of_criterion(letters: str, name: str) -> float | None:
    own = [letters[k] for k in OF_CRITERION[name]]
    return None if "u" in own else WORTH[name] * sum(one in EARNED for one in own) / len(own)


def of_exercise(letters: str, slug: str) -> float | None:
    parts = [of_criterion(letters, name) for name in OF_EXERCISE[slug]]
    return None if None in parts else sum(one for one in parts if one is not None)


def total(letters: str) -> float:
    return sum(of_criterion(letters, name) or 0.0 for name in WORTH)


# ---- how numbers are written ------------------------------------------------------------------


def two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-0.00", "0.00")


def share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def ends(count: int, of: int) -> tuple[float, float]:
    """The ends of Wilson's interval: where the distance is Z errors, a quadratic equation."""
    p, square = count / of, Z * Z / of
    a, b, c = 1 + square, -(2 * p + square), p * p
    root = max(b * b - 4 * a * c, 0.0) ** 0.5
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def interval(count: int, of: int) -> str:
    if not of:
        return "–"
    low, high = ends(count, of)
    return f"{count / of:.0%} ({max(low, 0.0):.0%}–{min(high, 1.0):.0%})"


def difference(one: tuple[int, int], other: tuple[int, int]) -> str:
    """Newcombe's interval: the distances of both shares to the ends of their own."""
    if not one[1] or not other[1]:
        return "–"
    p, q = one[0] / one[1], other[0] / other[1]
    (low, high), (other_low, other_high) = ends(*one), ends(*other)
    below = ((p - low) ** 2 + (other_high - q) ** 2) ** 0.5
    above = ((high - p) ** 2 + (q - other_low) ** 2) ** 0.5
    by = p - q
    return f"{by * 100:+.0f} ({(by - below) * 100:+.0f} … {(by + above) * 100:+.0f})"


def deviation(values: Sequence[float]) -> float | None:
    return statistics.stdev(values) if len(values) > 1 else None


def fifths(everybody: Class, value: Callable[[Pupil], float | None]) -> str:
    ordered = sorted(everybody, key=lambda one: total(one.last))
    size, more = divmod(len(ordered), 5)
    words, begin = [], 0
    for part in range(5):
        end = begin + size + (part < more)
        known = [v for one in ordered[begin:end] if (v := value(one)) is not None]
        words.append(share(statistics.fmean(known) if known else None))
        begin = end
    return " ".join(words)


# ---- items ------------------------------------------------------------------------------------


def _item(
    everybody: Class,
    checks: list[int],
    score: Callable[[str], float | None],
    points: Callable[[str], float],
) -> dict[str, object]:
    """All columns of an item: `score` is its share for those judged, `points` what it gave."""
    known = [(one, s) for one in everybody if (s := score(one.last)) is not None]
    full = sum(s > 1 - 1e-9 for _one, s in known)
    values = [s for _one, s in known]
    rests = [total(one.last) - points(one.last) for one, _s in known]
    letters = [[one.last[k] for k in checks] for one in everybody]
    return {
        "Facility": interval(full, len(known)),
        "Item-rest": two(statistics.correlation(values, rests)),
        "Fifths": fifths(everybody, lambda one: score(one.last)),
        "Judged": str(len(known)),
        "Not all": str(len(known) - full),
        "Mean": share(statistics.fmean(values)),
        "SD": two(deviation(values)),
        "Not tried": str(sum(set(own) == {"n"} for own in letters)),
        "Waits": str(sum("b" in own for own in letters)),
        "Carried": str(sum("c" in own for own in letters)),
        "Not checked": str(sum("u" in own for own in letters)),
    }


def judged_share(
    letters: str, checks: list[int], points: float | None, most: float
) -> float | None:
    is_judged = any(letters[k] in EARNED + WRONG for k in checks)
    return None if points is None or not is_judged else points / most


def exercises(everybody: Class) -> Table:
    return _worth(everybody, {s: OF_EXERCISE[s] for s in OF_EXERCISE}, of_exercise)


def criteria(everybody: Class) -> Table:
    return _worth(everybody, {name: [name] for name in WORTH}, of_criterion)


def _worth(
    everybody: Class,
    parts: Mapping[str, list[str]],
    points: Callable[[str, str], float | None],
) -> Table:
    table: Table = {}
    totals = [sum(points(one.last, each) or 0.0 for each in parts) for one in everybody]
    roots = {}
    for each in parts:
        shared = statistics.covariance([points(o.last, each) or 0.0 for o in everybody], totals)
        roots[each] = abs(shared) ** 0.5 * (1 if shared >= 0 else -1)
    for each, names in parts.items():
        most = sum(WORTH[name] for name in names)
        checks = [k for name in names for k in OF_CRITERION[name]]
        own = _item(
            everybody,
            checks,
            lambda x, e=each, c=checks, m=most: judged_share(x, c, points(x, e), m),  # type: ignore[misc]
            lambda x, e=each: points(x, e) or 0.0,  # type: ignore[misc]
        )
        own["Of all points"] = share(
            sum(points(one.last, each) or 0.0 for one in everybody) / sum(totals)
        )
        own["Weight"] = share(most / ALL)
        own["Effective"] = share(roots[each] / sum(abs(root) for root in roots.values()))
        table[(each,)] = own
    return table


def checks(everybody: Class) -> Table:
    def score(letters: str, k: int) -> float | None:
        return {"p": 1.0, "f": 0.0, "e": 0.0}.get(letters[k])

    home = {k: name for name, own in OF_CRITERION.items() for k in own}
    table: Table = {
        (check,): _item(
            everybody,
            [k],
            lambda x, k=k: score(x, k),  # type: ignore[misc]
            lambda x, k=k: of_criterion(x, home[k]) or 0.0,  # type: ignore[misc]
        )
        for k, check in enumerate(CHECKS)
    }
    totals = [total(one.last) for one in everybody]
    gave = {k: [of_check(one.last, k, home[k]) for one in everybody] for k in home}
    shared = {k: statistics.covariance(gave[k], totals) for k in home}
    roots = {k: abs(one) ** 0.5 * (1 if one >= 0 else -1) for k, one in shared.items()}
    for k, check in enumerate(CHECKS):
        weight = WORTH[home[k]] / len(OF_CRITERION[home[k]]) / ALL
        effective = roots[k] / sum(abs(root) for root in roots.values())
        table[(check,)] |= {
            "Of all points": f"{sum(gave[k]) / sum(totals):.2%}",
            "Weight": f"{weight:.2%}",
            "Effective": f"{effective:.2%}",
        }
    return table


def of_check(letters: str, k: int, home: str) -> float:
    """A check's part of what its criterion gave."""
    is_known = of_criterion(letters, home) is not None
    return WORTH[home] / len(OF_CRITERION[home]) if is_known and letters[k] in EARNED else 0.0


# ---- the class as a whole ---------------------------------------------------------------------


def marks(everybody: Class) -> Table:
    own = sorted(total(one.last) for one in everybody)
    low, middle, high = statistics.quantiles(own, method="inclusive")
    rows = {
        "mean": two(statistics.fmean(own)),
        "standard deviation": two(statistics.stdev(own)),
        "median": two(middle),
        "quarter below": two(low),
        "quarter above": two(high),
        "least": two(own[0]),
        "most": two(own[-1]),
        "no points at all": _of_all([one <= 0 for one in own]),
        "all points": _of_all([one >= ALL for one in own]),
    }
    return {(label,): {"Points": value} for label, value in rows.items()}


def _of_all(has: list[bool]) -> str:
    return f"{sum(has)} ({sum(has) / len(has):.0%})"


def bars(everybody: Class) -> list[int]:
    """How many have a mark in each tenth; the last one includes all points."""
    tenths = [min(int(total(one.last) / ALL * 10 + 1e-9), 9) for one in everybody]
    return [tenths.count(place) for place in range(10)]


def students(everybody: Class) -> Table:
    return {
        (one.id,): {"Points": two(total(one.last)), "Failed checks": str(len(one.failed))}
        for one in everybody
    }


def alpha(rows: Sequence[Sequence[float]]) -> float:
    columns = [*zip(*rows, strict=True)]
    parts = sum(statistics.variance(one) for one in columns)
    whole = statistics.variance([sum(row) for row in rows])
    result: float = len(columns) / (len(columns) - 1) * (1 - parts / whole)
    return result


def form(everybody: Class) -> Table:
    points = [[of_exercise(one.last, slug) or 0.0 for slug in OF_EXERCISE] for one in everybody]
    earned = [[float(letter in EARNED) for letter in one.last] for one in everybody]
    own, sd = alpha(points), statistics.stdev([sum(row) for row in points])
    rows = {
        "alpha over exercises": own,
        "KR-20 over checks": alpha(earned),
        "standard error of measurement": sd * (1 - own) ** 0.5,
        "standard deviation of the mark": sd,
    }
    return {(label,): {"Value": two(value)} for label, value in rows.items()}


def form_without(everybody: Class) -> Table:
    """Of two exercises one is left, and a form of one part has no alpha."""
    return {(slug,): {"Alpha without it": "–"} for slug in OF_EXERCISE}


# ---- mistakes ---------------------------------------------------------------------------------


def lost_by(one: Pupil, cause: str) -> float:
    """What a criterion lost is dealt evenly to those of its checks that earned nothing."""
    result = 0.0
    for k in one.failed:
        if one.causes.get(k) == cause:
            name = CHECKS[k].rsplit("/", 1)[0]
            without = [j for j in OF_CRITERION[name] if one.last[j] not in EARNED]
            known = of_criterion(one.last, name)
            result += (WORTH[name] - (WORTH[name] if known is None else known)) / len(without)
    return result


def is_name(cause: str) -> bool:
    """Whether it is a known mistake; what begins with `shape.` is only a pattern that was seen."""
    return bool(cause) and not cause.startswith("shape.")


def having(everybody: Class, cause: str) -> list[Pupil]:
    return [one for one in everybody if cause in one.causes.values()]


def mistakes(everybody: Class) -> Table:
    table: Table = {}
    for cause in sorted({cause for one in everybody for cause in one.causes.values()}):
        if not is_name(cause):
            continue
        who = having(everybody, cause)
        again = [o for o in who if any(o.last[k] == "c" for k in o.causes if o.causes[k] == cause)]
        table[(cause,)] = {
            "Students": str(len(who)),
            "Share": interval(len(who), len(everybody)),
            "Points lost": two(statistics.fmean(lost_by(one, cause) for one in who)),
            "Carried": str(len(again)),
        }
    return table


def coverage(everybody: Class) -> Table:
    kinds = {"named": 0, "seen": 0, "unexplained": 0}
    for one in everybody:
        for k, letter in enumerate(one.last):
            if letter in WRONG:
                cause = one.causes.get(k, "")
                is_seen = bool(cause) or letter == "e"
                kinds["named" if is_name(cause) else "seen" if is_seen else "unexplained"] += 1
    return {
        (kind,): {"Count": str(many), "Share": interval(many, sum(kinds.values()))}
        for kind, many in kinds.items()
    }


def lookalikes(everybody: Class) -> dict[tuple[str, frozenset[tuple[int, str]]], list[Pupil]]:
    groups: dict[tuple[str, frozenset[tuple[int, str]]], list[Pupil]] = {}
    for one in everybody:
        for slug in OF_EXERCISE:
            wrong = [k for k in one.failed if one.last[k] == "f" and CHECKS[k].startswith(slug)]
            signature = frozenset((k, one.prints.get(k, f"{one.id} {k}")) for k in wrong)
            if signature:
                groups.setdefault((slug, signature), []).append(one)
    return {key: who for key, who in groups.items() if len(who) > 1}


def unknown_groups(everybody: Class) -> Table:
    table: Table = {}
    for (slug, signature), who in lookalikes(everybody).items():
        causes = [who[0].causes.get(k, "") for k, _print in signature]
        if not any(map(is_name, causes)):
            table[(slug, f"grader why {who[0].id} {slug}")] = {
                "Students": str(len(who)),
                "Share": interval(len(who), len(everybody)),
                "Failed checks": str(len(signature)),
            }
    return table


def identical_numbers(everybody: Class, others: Sequence[Class]) -> Table:
    rare = {}
    for (slug, signature), who in lookalikes(everybody).items():
        causes = {name for k, _print in signature if is_name(name := who[0].causes.get(k, ""))}
        base = max([len(who), *(len(having(everybody, cause)) for cause in causes)])
        if base <= max(2, 0.05 * len(everybody)):
            rare[slug, signature] = who, base, causes
    table: Table = {}
    for (slug, signature), (who, base, causes) in rare.items():
        shared = [
            sum(
                {a.id, b.id} <= {one.id for one in group} for group, _base, _causes in rare.values()
            )
            for a, b in combinations(who, 2)
        ]
        seen = 0
        for other in others:
            same = lookalikes(other).get((slug, signature), [])
            seen += max([len(same), *(len(having(other, cause)) for cause in causes)])
        table[(slug, ", ".join(one.id for one in who))] = {
            "Students": str(len(who)),
            "Other exercises": str(max(shared) - 1),
            "Base rate": interval(base, len(everybody)),
            "In other classes": interval(seen, sum(map(len, others))),
        }
    return table


# ---- tries ------------------------------------------------------------------------------------


def _hours(one: Pupil, try_: int) -> float:
    first, then = (datetime.fromisoformat(one.at[at]) for at in (0, try_))
    return (then - first).total_seconds() / 3600


def _until(one: Pupil, slug: str) -> int | None:
    most = sum(WORTH[name] for name in OF_EXERCISE[slug])
    reached = [(of_exercise(letters, slug) or 0.0) >= most - 0.005 for letters in one.tries]
    return reached.index(True) if True in reached else None


def attempts(everybody: Class) -> Table:
    table: Table = {}
    for slug in OF_EXERCISE:
        most = sum(WORTH[name] for name in OF_EXERCISE[slug])
        done = [(one, at) for one in everybody if (at := _until(one, slug)) is not None]
        first, last = (
            statistics.fmean(_known(one.tries[at], slug) for one in everybody) / most
            for at in (0, -1)
        )
        table[(slug,)] = {
            "All points": str(len(done)),
            "Tries": f"{statistics.median(at + 1 for _one, at in done):.1f}",
            "Hours": f"{statistics.median(_hours(one, at) for one, at in done):.1f}",
            "First try": share(first),
            "Last try": share(last),
        }
    return table


def _known(letters: str, slug: str) -> float:
    return sum(of_criterion(letters, name) or 0.0 for name in OF_EXERCISE[slug])


def tries(everybody: Class) -> Table:
    table: Table = {}
    for at in range(5):
        have = [one for one in everybody if len(one.tries) > at]
        if have:
            gains = [total(one.tries[at]) - total(one.tries[at - 1]) for one in have if at]
            table[(str(at + 1),)] = {
                "Students": str(len(have)),
                "Mean points": two(statistics.fmean(total(one.tries[at]) for one in have)),
                "Gain": two(statistics.fmean(gains) if gains else None),
            }
    return table


def stuck(everybody: Class) -> Table:
    table: Table = {}
    for one in everybody:
        points = [total(letters) for letters in one.tries]
        if len(points) > 3 and max(points[:-3]) < ALL and max(points[-3:]) <= max(points[:-3]):
            table[(one.id,)] = {
                "Tries": str(len(points)),
                "Best": two(max(points)),
                "Last": two(points[-1]),
            }
    return table


def silent(everybody: Class) -> Table:
    end = max(datetime.fromisoformat(one.at[-1]) for one in everybody)
    table: Table = {}
    for one in everybody:
        days = (end - datetime.fromisoformat(one.at[-1])).total_seconds() / 86400
        if days > 7 and max(map(total, one.tries)) < ALL:
            table[(one.id,)] = {
                "Days": f"{days:.0f}",
                "Tries": str(len(one.tries)),
                "Points": two(total(one.last)),
            }
    return table


def compared(
    here: Mapping[str, tuple[int, int]], there: Mapping[str, tuple[int, int]], *labels: str
) -> Table:
    one, other = labels
    return {
        (name,): {
            one: interval(*own),
            other: interval(*there[name]),
            "Difference": difference(own, there[name]),
        }
        for name, own in here.items()
    }


def of_items(everybody: Class, table: Callable[[Class], Table]) -> dict[str, tuple[int, int]]:
    """Who has all of each item, of those judged: the numbers of its table, as counts."""
    return {
        name: (int(str(row["Judged"])) - int(str(row["Not all"])), int(str(row["Judged"])))
        for (name,), row in table(everybody).items()
    }


def of_mistakes(everybody: Class, causes: Iterable[str]) -> dict[str, tuple[int, int]]:
    return {cause: (len(having(everybody, cause)), len(everybody)) for cause in causes}


def part(everybody: Class, ids: Collection[str]) -> Class:
    return [one for one in everybody if one.id in ids]
