"""Kill each kind of process of a batch at random moments, and compare what the batch ends in.

`python tools/kills.py --times 50` grades a small class, kills one process a run, gives the same
command again as often as it takes, and demands the gradebook of an undisturbed run, to the byte.
The class is one of the course that is made for tests, whose run is mostly what all courses share;
`--course attention` takes the first assignment of this course instead, which costs twice as much.
`--times 25` and then `--times 25 --first 100` are fifty in two parts, at other moments.
`--full-disk 10` lets the disk become full instead, at ten sizes, and gives the command again when
there is room. Linux only: it reads the tree of processes from /proc, and mounts small disks in a
namespace of its own.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_RUNS = 20
MOST_TRIES = 3
"""So many batches to a kill that is wanted: where a kind is hardly ever there, the command ends."""
FULL_DISK = "full disk"
ROOM_KIB = 512 << 10
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT)}
WAIT_S = 2.0
"""So long a process of a kind is waited for, before another moment is drawn."""


@dataclass(frozen=True)
class Graded:
    """The course that the class is one of, and what its students hand in."""

    root: Path
    only: str
    stem: str
    wrong: tuple[tuple[str, str], ...]
    """Changes of the reference: the submissions that have one lose points."""


COURSES: Mapping[str, Graded] = {
    "toy": Graded(
        ROOT / "tests" / "toy_course", "f1", "f1_filters",
        (("return right, down", "return down, right"), ("dim=(3, 4)", "dim=4")),
    ),
    "attention": Graded(
        ROOT, "a1", "a1_attention",
        (("dim=-1", "dim=0"), (" * query.shape[-1] ** -0.5", "")),
    ),
}  # fmt: skip


def children(pid: int) -> list[int]:
    """The children of a process that have not ended: one that has cannot be killed."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split() if not _has_ended(int(word))]


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def namespace(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return ""


def _nurseries(parent: int) -> list[int]:
    return children(parent)


def _judges(parent: int) -> list[int]:
    return [pid for one in _nurseries(parent) for pid in children(one) if not children(pid)]


def _zygotes(parent: int) -> list[int]:
    outer = [pid for one in _nurseries(parent) for pid in children(one) if children(pid)]
    inner = [pid for one in outer for pid in children(one) if namespace(pid) != namespace(one)]
    return [*outer, *inner]


def _workers(parent: int) -> list[int]:
    return [pid for one in _zygotes(parent) for pid in children(one) if not children(pid)]


KINDS: Mapping[str, Callable[[int], list[int]]] = {
    "parent": lambda parent: [parent],
    "nursery": _nurseries,
    "judge": _judges,
    "zygote": _zygotes,
    "worker": _workers,
}


@dataclass
class Undisturbed:
    """A batch in which nothing was killed."""

    book: bytes
    code: int
    needs_kib: int
    """Room on a disk."""
    takes_s: float
    """As long as the last one took that went to its end: the machine may be busier by now."""


@dataclass(frozen=True)
class Kill:
    """One batch in which a process was killed, and what it ended in."""

    kind: str
    after_s: float
    """Of a full disk its size in KiB."""
    hit: bool
    """False if the batch ended before there was such a process, or the disk was large enough."""
    runs: int
    same: bool
    """True if gradebook and exit code are those of an undisturbed run."""
    out: Path


def make_class(folder: Path, students: int, course: Graded) -> None:
    text = (course.root / "reference" / f"{course.stem}.py").read_text("utf-8")
    changes = [("", ""), *course.wrong]
    for number in range(students):
        place = folder / f"student-{number:03}"
        place.mkdir(parents=True)
        changed = edited(text, *changes[number % len(changes)], course.stem)
        (place / f"{course.stem}.py").write_text(f"{changed}\n# {number}\n", "utf-8")


def edited(text: str, before: str, after: str, stem: str) -> str:
    """Return the reference with that change, or as it is without one."""
    if before not in text:
        raise SystemExit(f"reference/{stem}.py has no {before!r} any more: this class needs one")
    return text.replace(before, after) if before else text


@dataclass(frozen=True)
class Class:
    """The class that is graded over and over."""

    folder: Path
    course: Graded

    def command(self, out: Path) -> list[str]:
        words = ("batch", str(self.folder), "--out", str(out), "-j", "1", "--quiet")
        return [sys.executable, "-m", "grader", *words, "--only", self.course.only]

    def start(self, out: Path) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(out),
            cwd=self.course.root,
            env=ENVIRON,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def kill_once(
    kind: str, takes_s: float, draw: random.Random, parent: subprocess.Popen[bytes]
) -> float | None:
    """Kill a process of that kind at a random moment, or at a later one if there is none by then.

    Return the moment; None if the batch ended before.
    """
    began, after_s = time.monotonic(), draw.uniform(0.05, takes_s)
    while True:
        with suppress(subprocess.TimeoutExpired):
            parent.wait(max(0.0, began + after_s - time.monotonic()))
        if killed(kind, draw, parent):
            return after_s
        if parent.poll() is not None:
            return None
        now = time.monotonic() - began
        after_s = draw.uniform(now, max(takes_s, now + WAIT_S))


def killed(kind: str, draw: random.Random, parent: subprocess.Popen[bytes]) -> bool:
    """Kill a process of that kind; False if there is none for a while, or the batch has ended."""
    until = time.monotonic() + WAIT_S
    while not (pids := KINDS[kind](parent.pid)) and time.monotonic() < until:
        if parent.poll() is not None:
            return False
        time.sleep(0.005)
    if not pids or parent.poll() is not None:
        return False
    try:
        os.kill(draw.choice(pids), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def tried(kind: str, number: int, graded: Class, whole: Undisturbed, out: Path) -> Kill:
    draw = random.Random(f"{kind} {number}")
    process, began = graded.start(out), time.monotonic()
    after_s = kill_once(kind, whole.takes_s, draw, process)
    hit = after_s is not None
    last, runs = process.wait(), 1
    if not hit or kind != "parent":  # it went on to its own end
        whole.takes_s = time.monotonic() - began
    while last != whole.code and runs < MOST_RUNS:
        last, runs = graded.start(out).wait(), runs + 1
    written = out / "gradebook.csv"
    same = last == whole.code and written.is_file() and written.read_bytes() == whole.book
    if same:
        shutil.rmtree(out)
    return Kill(kind, after_s or 0.0, hit, runs, same, out)


_ON_A_SMALL_DISK = """
room=$1 size=$2 out=$3 book=$4; shift 4
mkdir -p "$out" && mount -t tmpfs -o size="$size"k none "$out" || exit 99
"$@" 2>"$book.words"; echo "$?" > "$book.first"
mount -o remount,size="$room"k none "$out" || exit 99
"$@" 2>>"$book.words"; code=$?
cp "$out/gradebook.csv" "$book"; exit $code
"""


def filled_up(number: int, graded: Class, whole: Undisturbed, out: Path) -> Kill:
    """Grade onto a disk that becomes full, make room, and give the same command again."""
    book, code = whole.book, whole.code
    size = random.Random(number).randrange(whole.needs_kib // 20, whole.needs_kib)
    written = out.with_suffix(".csv")
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(
        ["unshare", *rights, "--mount", "sh", "-c", _ON_A_SMALL_DISK, "sh", str(ROOM_KIB),
         str(size), str(out), str(written), *graded.command(out)],
        cwd=graded.course.root, env=ENVIRON, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode == 99:
        raise SystemExit("no disk can be mounted here")
    words = written.with_name(f"{written.name}.words").read_text("utf-8")
    first = int(written.with_name(f"{written.name}.first").read_text())
    hit = first != code
    told = not hit or ("the disk is full" in words and "Traceback" not in words)
    same = done.returncode == code and written.is_file() and written.read_bytes() == book
    return Kill(FULL_DISK, size, hit, 1 + hit, same and told, written)


def size_kib(folder: Path) -> int:
    """The room that a folder takes: on a smaller disk a batch cannot end."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) >> 10


def undisturbed(graded: Class, out: Path) -> Undisturbed:
    began = time.monotonic()
    code = graded.start(out).wait()
    takes_s = time.monotonic() - began
    return Undisturbed((out / "gradebook.csv").read_bytes(), code, size_kib(out), takes_s)


def until_enough(
    kind: str,
    times: int,
    first: int,
    one: Callable[[tuple[str, int]], Kill],
    threads: ThreadPoolExecutor,
) -> Iterator[Kill]:
    """Yield batches of a kind, numbered from `first`, until so many of them were ended early."""
    begun, missing = 0, times
    while missing > 0 and begun < MOST_TRIES * times:
        own = list(threads.map(one, ((kind, first + begun + n) for n in range(missing))))
        begun += len(own)
        missing -= sum(kill.hit for kill in own)
        yield from own


def in_words(kind: str, own: Sequence[Kill]) -> str:
    runs = Counter(kill.runs for kill in own)
    needed = ", ".join(f"{count} x {needed}" for needed, count in sorted(runs.items()))
    return (
        f"{kind:9} {sum(kill.hit for kill in own)} ended early of {len(own)} runs, "
        f"{sum(not kill.same for kill in own)} other gradebooks, commands needed: {needed}"
    )


def main() -> int:
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--times", type=int, default=50, help="kills of each kind, misses not counted"
    )
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first batch; it says the moment"
    )
    parser.add_argument("--students", type=int, default=6)
    parser.add_argument("--course", choices=COURSES, default="toy", help="that is graded")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only this kind")
    parser.add_argument("--full-disk", type=int, default=0, help="disks, and nothing is killed")
    parser.add_argument("--at-once", type=int, default=2, help="batches side by side")
    given = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="grader-kills-"))
    graded = Class(place / "class", COURSES[given.course])
    make_class(graded.folder, given.students, graded.course)
    whole = undisturbed(graded, place / "whole")
    print(f"undisturbed: exit code {whole.code}, {whole.takes_s:.1f} s", flush=True)

    def one(job: tuple[str, int]) -> Kill:
        kind, number = job
        out = place / f"{kind}-{number}".replace(" ", "-")
        way = filled_up if kind == FULL_DISK else partial(tried, kind)
        return way(number, graded, whole, out)

    kills, times, too_few = [], given.full_disk or given.times, False
    with ThreadPoolExecutor(given.at_once) as threads:
        for kind in [FULL_DISK] if given.full_disk else list(given.kind or KINDS):
            own = list(until_enough(kind, times, given.first, one, threads))
            kills += own
            too_few |= sum(kill.hit for kill in own) < times
            print(in_words(kind, own), flush=True)
    other = [kill for kill in kills if not kill.same]
    for kill in other:
        unit = "KiB" if kill.kind == FULL_DISK else "s"
        print(f"other: {kill.kind} after {kill.after_s:.2f} {unit}, see {kill.out}")
    if not other:
        shutil.rmtree(place)
    return bool(other) or too_few


if __name__ == "__main__":
    raise SystemExit(main())
