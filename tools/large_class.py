"""Grades a large made-up class in one command, and measures it.

    python tools/large_class.py grade PLACE --students 2000
    python tools/large_class.py malformed PLACE --count 2000
    python tools/large_class.py replay PLACE --results 500 [--threads 2] [--python OTHER/bin/python]

`grade` makes PLACE/class out of the corpus and of mutants of the reference, runs `grader batch` and
says how many submissions a second that was, how much memory each kind of process needed at most,
how that grew after the first 200, and the ratio to a plain loop: the same suites in one warm
pytest, without isolation. `malformed` does the same with files that nobody should have handed in,
and demands an outcome for everybody. `replay` grades results of `grade` once more, with another
number of threads or another torch, and lists every mark that differs. What is there already is not
done again, and not counted again: where one is not alone on a machine, `--minutes 8` ends a part
cleanly, and the same command goes on. Its last part says what all of them took.

Linux only: it reads the tree of processes from /proc.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.class_making import make_class  # noqa: E402
from tools.class_memory import STORE, WARM, Memory, results_in  # noqa: E402
from tools.malformed import make_malformed  # noqa: E402

EVERY_S = 0.5
PLAIN = 8
"""So often the plain loop goes over the suites."""
ORPHANS_S = 10.0
"""So long processes of a batch may take to end after it."""
_SET_CHILD_SUBREAPER = 36
FLAT = 5.0
"""By so many per cent, at most, a process may have grown after the first students."""
ENDED = (0, 1, 3)
"""The exit codes of a batch that graded everybody as far as it can be graded."""
INTERRUPTED = 130
"""The exit code of one that was told to stop."""
_PLAIN_LOOP = """
import sys, time, pytest
words = ["-q", "-p", "no:cacheprovider", *sys.argv[2:]]
pytest.main(words)
began = time.process_time()
for _ in range(int(sys.argv[1])):
    pytest.main(words)
print("SECONDS", (time.process_time() - began) / int(sys.argv[1]))
"""


def adopt_orphans() -> None:
    """Makes this the parent of processes that lose theirs: their processor time counts too."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no orphans can be adopted")


def bury_orphans() -> None:
    """Waits for those that were adopted, as long as it takes them to end, within limits."""
    until = time.monotonic() + ORPHANS_S
    with suppress(ChildProcessError):
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.05)


@dataclass(frozen=True)
class Graded:
    """One run of `grader batch`."""

    code: int
    wall_s: float
    processor_s: float
    memory: Memory
    printed: str
    rows: Mapping[str, Mapping[str, str]]
    new: int = 0
    """The results that were not in the store before."""


def graded(
    folder: Path, out: Path, words: Sequence[str], python: str = sys.executable,
    package: Path = ROOT, most_s: float = float("inf"),
) -> Graded:  # fmt: skip
    """Runs `grader batch`, ends it after so long, and looks at its processes meanwhile."""
    log, known = out.with_name(f"{out.name}.log"), results_in(out / STORE)
    adopt_orphans()
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    memory = Memory()
    command = [python, "-m", "grader", "batch", str(folder), "--out", str(out), "--quiet", *words]
    environ = {**os.environ, "PYTHONPATH": str(package)}
    with log.open("w", encoding="utf-8") as lines:
        process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=lines, stderr=lines)
        while process.poll() is None:
            memory.look(process.pid, out)
            time.sleep(EVERY_S)
            if time.monotonic() - began > most_s:
                process.send_signal(signal.SIGINT)
                most_s = float("inf")
    bury_orphans()
    memory.write(out.with_name(f"{out.name}-memory.csv"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall_s = time.monotonic() - began
    new = results_in(out / STORE) - known
    return Graded(process.returncode, wall_s, spent, memory, log.read_text("utf-8"), rows(out), new)


def rows(out: Path) -> dict[str, dict[str, str]]:
    """The gradebook by student; nothing if there is none."""
    path = out / "gradebook.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return {row["id"]: row for row in csv.DictReader(lines)}


def faults(run: Graded, kinds: Mapping[str, str]) -> Iterator[str]:
    """What must never be: another end than a gradebook, a traceback, a student without outcome."""
    if "Traceback" in run.printed:
        yield "a traceback"
    if run.code == INTERRUPTED:
        return
    if run.code not in ENDED:
        yield f"exit code {run.code}"
    for student, kind in kinds.items():
        row = run.rows.get(student)
        if row is None:
            yield f"{student} ({kind}): no row"
        elif not (row.get("automatic") or row["total"]) and not row["problem"]:
            yield f"{student} ({kind}): neither points nor a reason"


def plain_loop(only: Sequence[str]) -> float:
    """Seconds of processor time of the suites of these assignments in one warm process."""
    suites = [str(path) for path in sorted((ROOT / "tests" / "suites").glob("*/"))]
    chosen = [path for path in suites if not only or Path(path).name[:2] in only]
    done = subprocess.run(
        [sys.executable, "-c", _PLAIN_LOOP, str(PLAIN), *chosen],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    line = next(line for line in done.stdout.splitlines() if line.startswith("SECONDS"))
    return float(line.split()[1])


# ---- the commands -----------------------------------------------------------------------------


def made(place: Path, name: str, count: int, seed: int, only: Sequence[str] = ()) -> dict[str, str]:
    """The class of that name in a place; made if it is not there."""
    stated = place / f"{name}.json"
    wanted = {"count": count, "seed": seed, "only": sorted(only)}
    if not stated.is_file():
        make = make_malformed if name == "malformed" else partial(make_class, only=only)
        shutil.rmtree(place / name, ignore_errors=True)
        kinds = make(place / name, count, seed)
        stated.write_text(json.dumps({**wanted, "kinds": kinds}), encoding="utf-8")
    known = json.loads(stated.read_text(encoding="utf-8"))
    if {key: known.get(key) for key in wanted} != wanted:
        raise SystemExit(f"{place / name} is another class. Name another place.")
    return dict(known["kinds"])


@dataclass(frozen=True)
class Part:
    """What one run of the command did of a class."""

    new: int
    wall_s: float
    processor_s: float


def parts_with(place: Path, name: str, part: Part) -> list[Part]:
    """Return all parts of a class that took part in its results, this one the last."""
    path = place / f"{name}-parts.json"
    known = [Part(**one) for one in json.loads(path.read_text("utf-8"))] if path.is_file() else []
    parts = [one for one in (*known, part) if one.new]
    path.write_text(json.dumps([asdict(one) for one in parts]), encoding="utf-8")
    return parts


def speed(parts: Sequence[Part]) -> tuple[str, float]:
    """Say how quickly results were made, and return seconds of processor time for each."""
    new, wall_s = sum(one.new for one in parts), sum(one.wall_s for one in parts)
    processor_s = sum(one.processor_s for one in parts)
    if not new:
        return "no result is new", 0.0
    words = (
        f"{new} results in {wall_s:.0f} s: {new / wall_s:.2f} a second; "
        f"{processor_s:.0f} s of processor time, {processor_s / new:.2f} s for each"
    )
    return words, processor_s / new


def grade(place: Path, name: str, given: argparse.Namespace) -> int:
    kinds = made(place, name, given.count, given.seed, given.only)
    words = [word for slug in given.only for word in ("--only", slug)]
    run = graded(
        place / name, place / f"{name}-results", [*words, "-j", str(given.jobs)],
        most_s=60 * given.minutes,
    )  # fmt: skip
    kept = Counter(kinds.values())
    print(f"{len(kinds)} submissions: " + ", ".join(f"{n} {kind}" for kind, n in kept.items()))
    part = Part(run.new, run.wall_s, run.processor_s)
    parts = parts_with(place, name, part)
    print(f"exit code {run.code} with -j {given.jobs}; {speed([part])[0]}")
    for kind, mib in run.memory.most().items():
        print(f"{kind:8} at most {mib:7.1f} MiB of its own")
    growths = list(run.memory.growths())
    for growth in growths:
        print(growth)
    ended = run.code != INTERRUPTED
    if ended:
        print(f"in {len(parts)} part(s): {speed(parts)[0]}")
    if ended and name != "malformed" and not given.without_plain:
        plain, each = plain_loop(given.only), speed(parts)[1]
        print(f"plain loop: {plain:.2f} s of processor time a submission; ratio {each / plain:.2f}")
    # Who has just begun grows: that is not told of a run that has hardly graded more than these.
    grown = [one for one in growths if one.percent > FLAT] if run.new >= 2 * WARM else []
    wrong = [*faults(run, kinds), *(f"not flat: {one}" for one in grown)]
    fine = "everybody has points or a reason; no traceback" if ended else "not all are graded yet"
    print("\n".join(wrong) if wrong else fine)
    return bool(wrong)


def marks(record: Mapping[str, object]) -> dict[str, object]:
    """The points of each criterion in a record, or the reason why there are none."""
    if "problem" in record:
        return {"problem": "could not be read"}
    exercises = record["exercises"]
    assert isinstance(exercises, list)
    return {
        f"{exercise['slug']}/{one['name']}": one["points"]
        for exercise in exercises
        for one in exercise["criteria"]
    }


def with_threads(place: Path, threads: int) -> Path:
    """A copy of the package in which torch computes on so many threads; one needs no copy."""
    if threads == 1:
        return ROOT
    copy = place / f"threads-{threads}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "grader", copy / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    changed = 0
    for path in (copy / "grader").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        other = text.replace("set_num_threads(1)", f"set_num_threads({threads})")
        other = other.replace('"OMP_NUM_THREADS": "1"', f'"OMP_NUM_THREADS": "{threads}"')
        other = other.replace("get_num_threads() != 1", f"get_num_threads() != {threads}")
        changed += other != text
        path.write_text(other, encoding="utf-8")
    if not changed:
        raise SystemExit("nothing in the package says how many threads there are any more")
    return copy


def replay(place: Path, given: argparse.Namespace) -> int:
    """Grades results once more, and lists every mark that is another one."""
    before = place / "class-results" / "records"
    known = {path.name: json.loads(path.read_text("utf-8")) for path in before.glob("*.json")}
    able = sorted(name for name, record in known.items() if "problem" not in record)
    chosen = random.Random(given.seed).sample(able, min(given.results, len(able)))
    students = [known[name]["submission"]["id"] for name in chosen]
    words = [word for student in students for word in ("--student", student)]
    words += [word for slug in given.only for word in ("--only", slug)]
    tag = f"replay-{given.threads}-{Path(given.python).parent.parent.name}"
    out = place / tag
    package = with_threads(place, given.threads)
    run = graded(
        place / "class", out, [*words, "-j", str(given.jobs), "--isolation", given.isolation],
        given.python, package, 60 * given.minutes,
    )  # fmt: skip
    changed, replayed = 0, 0
    for name in chosen:
        path = out / "records" / name
        if run.code == INTERRUPTED and not path.is_file():
            continue
        replayed += 1
        now = marks(json.loads(path.read_text("utf-8"))) if path.is_file() else {"problem": "none"}
        then = marks(known[name])
        other = {one for one in {*then, *now} if then.get(one) != now.get(one)}
        changed += bool(other)
        for one in sorted(other):
            id = known[name]["submission"]["id"]
            print(f"{id} {one}: {then.get(one)} -> {now.get(one)}")
    libraries = version_of(given.python)
    print(
        f"{replayed} of {len(chosen)} results replayed on {given.threads} thread(s) with "
        f"{libraries}: {changed} with another mark; exit code {run.code}, {run.new} new, "
        f"{run.processor_s:.0f} s of processor"
    )
    return bool(changed) or run.code not in (*ENDED, INTERRUPTED)


def version_of(python: str) -> str:
    code = "import sys, torch; print('Python', sys.version.split()[0], 'torch', torch.__version__)"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def main() -> int:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("command", choices=["grade", "malformed", "replay"])
    parser.add_argument("place", type=Path)
    parser.add_argument("--students", "--count", dest="count", type=int, default=2000)
    parser.add_argument("--results", type=int, default=500, help="of replay")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], help="such as a1")
    parser.add_argument("--threads", type=int, default=1, help="of replay")
    parser.add_argument("--python", default=sys.executable, help="of replay: with another torch")
    parser.add_argument("--isolation", default="full", help="of replay")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="of a part; the same command goes on"
    )
    parser.add_argument("--without-plain", action="store_true", help="no plain loop beside it")
    given = parser.parse_args()
    place = given.place.resolve()
    place.mkdir(parents=True, exist_ok=True)
    if given.command == "replay":
        return replay(place, given)
    return grade(place, "malformed" if given.command == "malformed" else "class", given)


if __name__ == "__main__":
    raise SystemExit(main())
