"""Collect what a class has pushed to Git repositories: for each student the commit that counts."""

from __future__ import annotations

import csv
import re
import secrets
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.batch.cells import decoded, plain_cell, separator
from grader.batch.collected_table import (
    BY_COMMIT,
    BY_PUSH,
    CollectedRow,
    read_table,
    write_table,
)
from grader.batch.git_repository import (
    Commit,
    Repository,
    RepositoryError,
    TreeFile,
    without_secret,
)
from grader.batch.names import record_names
from grader.batch.roster import Roster
from grader.batch.time_columns import RosterError
from grader.files.writing import make_folder
from grader.submission.collection import (
    LIMIT_DEPTH,
    LIMIT_ENTRIES,
    LIMIT_NAME_LENGTH,
    LIMIT_TOTAL_BYTES,
)
from grader.text.moments import Moment, read_moment
from grader.text.problem import did_you_mean, quoted

REPOSITORIES = ".repositories"
OVERRIDE = "repository"
"""The column of a roster that names a student's repository where the pattern does not fit."""
AT_ONCE = 8
_PLACE = re.compile(r"\{([^{}]*)\}")
_IN_AN_ADDRESS = re.compile(r"(?!\.{1,2}$)[\w.-]{1,100}", re.ASCII)
_ADDRESS = re.compile(r"(?!-)(?!\w[\w+.-]*::)\S{1,500}")


class CollectError(Exception):
    """Something that cannot be collected at all; says what is wrong, and the next step."""


@dataclass(frozen=True)
class Push:
    """A push, as the forge has noted it."""

    commit: str
    at: Moment


@dataclass(frozen=True)
class CollectPlan:
    """The repositories of a class, and the rule for which commit counts."""

    roster: Roster
    pattern: str = ""
    """The address of a repository, with columns of the roster in braces: `…/a1-{login}.git`."""
    at: Moment | None = None
    """The deadline: nothing that came later counts. None takes what is newest."""
    pushes: Mapping[str, tuple[Push, ...]] | None = None
    """By student; None if the forge's times are not known."""
    each_push: bool = False
    """True if every push in time is a hand-in, and not only the last."""

    def in_time(self, student: str) -> tuple[Push, ...]:
        """Return the pushes of a student that are not too late, the earliest first."""
        own = (self.pushes or {}).get(student, ())
        in_time = (push for push in own if self.at is None or push.at <= self.at)
        return tuple(sorted(in_time, key=lambda push: push.at))

    def hand_ins(self, student: str, folder: str) -> tuple[tuple[CollectPlan, str], ...]:
        """Return a plan for each hand-in of a student, with the folder that it goes to."""
        pushes = self.in_time(student) if self.each_push else ()
        if not pushes:
            return ((self, folder),)
        return tuple(
            (replace(self, pushes={student: (push,)}), f"{folder}~{number}")
            for number, push in enumerate(pushes, start=1)
        )


@dataclass(frozen=True)
class CollectedClass:
    """A row for everybody on the roster, or for each push of everybody."""

    rows: tuple[CollectedRow, ...]
    unchanged: frozenset[str] = field(default_factory=frozenset)
    """Students whose commits are those that lay there already."""


def collect(
    plan: CollectPlan, into: Path, tell: Callable[[CollectedRow], None] = lambda row: None
) -> CollectedClass:
    """Write each student's files into a folder of their own, and `collected.csv` beside them.

    A repository is fetched again each time, and files are written only if another commit counts.
    `tell` is called with each row.

    Raises CollectError, FolderError and WritingError.
    """
    addresses = {student: _address(plan, student) for student in plan.roster.students}
    before = {(row.id, row.folder): row for row in read_table(into)}
    make_folder(into)
    folders = {id: name.removesuffix(".json") for id, name in record_names(addresses).items()}

    def one(student: str) -> list[tuple[CollectedRow, bool]]:
        repository = Repository(into / REPOSITORIES / f"{folders[student]}.git")
        address, result = addresses[student], []
        for number, (own, folder) in enumerate(plan.hand_ins(student, folders[student])):
            row = CollectedRow(student, folder, without_secret(address))
            collector = _Collector(own, into, before.get((student, folder)), repository)
            result.append(collector.collected(row, address if number == 0 else None))
        return result

    rows, unchanged = [], set()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for done in threads.map(one, addresses):
            for row, _is_unchanged in done:
                rows.append(row)
                tell(row)
            unchanged |= {row.id for row, _is in done if all(same for _row, same in done)}
    write_table(into, rows)
    return CollectedClass(tuple(rows), frozenset(unchanged))


def read_pushes(path: Path, roster: Roster) -> Mapping[str, tuple[Push, ...]]:
    """Return the pushes of each student from a CSV file with `commit` and `pushed_at`.

    A student is named as in the roster, in a column called as there. Raises RosterError.
    """
    try:
        text = decoded(path.read_bytes())
        rows = list(csv.reader(text.splitlines(), delimiter=separator(text), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RosterError(f"{path}: cannot be read ({error}).") from error
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    for name in (roster.heading, "commit", "pushed_at"):
        if name not in header:
            raise RosterError(f"{path}:1: no column {name}{did_you_mean(name, header)}. Add it.")
    pushes: dict[str, list[Push]] = defaultdict(list)
    for number, row in enumerate(rows[1:], start=2):
        cells = {name: plain_cell(cell.strip()) for name, cell in zip(header, row, strict=False)}
        if not any(cells.values()):
            continue
        student = roster.student(cells.get(roster.heading, ""))
        if student is None:
            continue  # of another section
        try:
            push = Push(cells.get("commit", "").casefold(), read_moment(cells.get("pushed_at", "")))
        except ValueError:
            raise RosterError(
                f"{path}:{number}: {quoted(cells.get('pushed_at', ''))} is no time with its offset "
                "from UTC, such as 2026-11-20T23:59:00+09:00."
            ) from None
        pushes[student].append(push)
    return {student: tuple(known) for student, known in pushes.items()}


def _address(plan: CollectPlan, student: str) -> str:
    """Return where a student's repository is. Raises CollectError."""
    cells = plan.roster.cells[student]
    address = cells.get(OVERRIDE, "") or _filled(plan.pattern, cells, student)
    if not _ADDRESS.fullmatch(address):
        raise CollectError(f"{student}: {quoted(address)} is no address of a repository.")
    return address


def _filled(pattern: str, cells: Mapping[str, str], student: str) -> str:
    if not pattern:
        raise CollectError(
            f"{student}: no repository. Fill the column {OVERRIDE} of the roster, or give a "
            "pattern: --from 'https://HOST/COURSE/a1-{login}.git'"
        )

    def value(match: re.Match[str]) -> str:
        name = match[1].strip().casefold()
        if name not in cells:
            raise CollectError(
                f"--from: the roster has no column {quoted(match[1])}{did_you_mean(name, cells)}. "
                f"It has: {', '.join(cells)}."
            )
        if not _IN_AN_ADDRESS.fullmatch(cells[name]):
            raise CollectError(
                f"{student}: {quoted(cells[name])} cannot stand in an address. Mend the cell "
                f"{match[1]} of the roster, or fill its column {OVERRIDE}."
            )
        return cells[name]

    return _PLACE.sub(value, pattern)


@dataclass(frozen=True)
class _Collector:
    """Collects one student's commit."""

    plan: CollectPlan
    into: Path
    before: CollectedRow | None
    repository: Repository

    def collected(self, row: CollectedRow, address: str | None) -> tuple[CollectedRow, bool]:
        """Return the row of a student with what came out, and whether nothing has changed.

        Nothing is fetched without an address.
        """
        repository, target = self.repository, self.into / row.folder
        try:
            if address is not None:
                repository.fetch(address)
            commit, push = self._chosen(repository, row.id)
            if commit is None:
                return replace(row, problem=self._why_none(push)), False
            is_unchanged = self._is_here(row, commit, target)
            if not is_unchanged:
                self._write(repository, commit, target)
        except (RepositoryError, OSError) as error:
            return self._kept(row, str(error)), False
        at = commit.committed if push is None else push.at
        by = BY_COMMIT if push is None else BY_PUSH
        return replace(row, commit=commit.sha, handed_in=at.iso, time_of=by), is_unchanged

    def _kept(self, row: CollectedRow, problem: str) -> CollectedRow:
        """Return the row of a student whose repository cannot be read now: what is here stays."""
        before = self.before
        if before is None or not before.commit or not (self.into / before.folder).is_dir():
            return replace(row, problem=problem)
        if self.plan.at is not None and read_moment(before.handed_in) > self.plan.at:
            return replace(row, problem=problem)
        return replace(before, problem=f"{problem}; what was collected before counts")

    def _chosen(self, repository: Repository, student: str) -> tuple[Commit | None, Push | None]:
        plan = self.plan
        if plan.pushes is None:
            return repository.newest(plan.at), None
        in_time = plan.in_time(student)
        if not in_time:
            return None, None
        last = in_time[-1]
        return repository.commit(last.commit), last

    def _why_none(self, push: Push | None) -> str:
        if push is not None:
            return f"commit {push.commit[:12]}, pushed {push.at}, is not in the repository any more"
        if self.plan.at is None:
            return "nothing was pushed"
        return f"nothing was {'committed' if self.plan.pushes is None else 'pushed'} in time"

    def _is_here(self, row: CollectedRow, commit: Commit, target: Path) -> bool:
        """Return whether that commit lies in the folder. Raises RepositoryError."""
        if not target.exists():
            return False
        if self.before is None or self.before.folder != row.folder:
            raise RepositoryError(f"{target} is there and was not collected. Move it away")
        return self.before.commit == commit.sha

    def _write(self, repository: Repository, commit: Commit, target: Path) -> None:
        """Put the files of a commit into the folder, all or none. Raises RepositoryError."""
        files = [file for file in repository.files(commit) if _is_taken(file)]
        if len(files) > LIMIT_ENTRIES or sum(file.size for file in files) > LIMIT_TOTAL_BYTES:
            raise RepositoryError(
                f"commit {commit.sha[:12]} holds more than {LIMIT_ENTRIES} files or "
                f"{LIMIT_TOTAL_BYTES >> 20} MiB"
            )
        scratch = self.into / f".new-{secrets.token_hex(8)}"
        scratch.mkdir()
        try:
            for file, content in zip(files, repository.contents(files), strict=True):
                path = scratch / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            _replace(target, scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _is_taken(file: TreeFile) -> bool:
    """Return whether a file may be written: its path leads nowhere else, and is not absurd."""
    parts = file.path.split("/")
    return (
        len(parts) <= LIMIT_DEPTH
        and not any(part in ("", ".", "..") or part.casefold() == ".git" for part in parts)
        and all(len(part) <= LIMIT_NAME_LENGTH for part in parts)
    )


def _replace(target: Path, scratch: Path) -> None:
    old = scratch.with_name(scratch.name.replace(".new-", ".old-"))
    if target.exists():
        target.rename(old)
    scratch.rename(target)
    shutil.rmtree(old, ignore_errors=True)
