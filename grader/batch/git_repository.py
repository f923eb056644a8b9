"""Read a student's repository with git, which runs nothing of what the repository holds.

A bare repository has no working files: no filter, hook, submodule or attribute of it takes effect.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.report.cleaning import one_line
from grader.text.moments import Moment, read_moment

REF = "refs/heads/handed-in"
FETCH_LIMIT_S = 300
LIMIT_S = 60
_PROTOCOLS = "file:git:http:https:ssh"
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_PLAIN_FILE = re.compile(r"100(?:644|755|664)")


class RepositoryError(Exception):
    """A repository that cannot be read; says why."""


@dataclass(frozen=True)
class Commit:
    """A commit, and when its author's machine says that it was made."""

    sha: str
    committed: Moment


@dataclass(frozen=True)
class TreeFile:
    """A regular file of a commit."""

    path: str
    sha: str
    size: int


class Repository:
    """A bare repository of ours, into which a student's is fetched."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def fetch(self, address: str) -> None:
        """Bring over the newest commit of the default branch. Raises RepositoryError."""
        if not (self._folder / "HEAD").is_file():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._run("init", "--quiet", "--bare", "--template=", str(self._folder))
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        self._run("fetch", *options, "--", address, f"+HEAD:{REF}", limit_s=FETCH_LIMIT_S)

    def newest(self, until: Moment | None = None) -> Commit | None:
        """Return the newest commit, or the newest that is not dated after `until`."""
        before = () if until is None else (f"--before=@{until.seconds} +0000",)
        sha = self._run("rev-list", "-1", *before, REF, "--").decode().strip()
        return self.commit(sha) if sha else None

    def commit(self, sha: str) -> Commit | None:
        """Return the commit of that name, or None if it is not here."""
        if not _SHA.fullmatch(sha):
            return None
        try:
            text = self._run("log", "-1", "--no-show-signature", "--format=%cI", sha, "--").decode()
            return Commit(sha, read_moment(text))
        except (RepositoryError, ValueError):
            return None

    def files(self, commit: Commit) -> tuple[TreeFile, ...]:
        """Return the regular files of a commit; links and submodules are none."""
        listing = self._run("ls-tree", "-r", "-l", "-z", "--full-tree", commit.sha)
        return tuple(_tree_files(listing))

    def contents(self, files: Iterable[TreeFile]) -> Iterator[bytes]:
        """Yield the content of each file."""
        for file in files:
            yield self._run("cat-file", "blob", file.sha)

    def _run(self, *words: str, limit_s: float = LIMIT_S) -> bytes:
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        where = [] if words[0] == "init" else [f"--git-dir={self._folder}"]
        try:
            done = subprocess.run(
                ["git", *settings, *where, *words],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=limit_s,
            )
        except FileNotFoundError:
            raise RepositoryError("git is not installed, or not on the PATH") from None
        except subprocess.TimeoutExpired:
            raise RepositoryError(f"git {words[0]} took longer than {limit_s} s") from None
        if done.returncode:
            raise RepositoryError(_reason(done.stderr.decode("utf-8", "replace")))
        return done.stdout


def without_secret(address: str) -> str:
    """Return an address without the name or token that stands before the host.

    >>> without_secret("https://token@example.org/a1-student-001.git")
    'https://example.org/a1-student-001.git'
    """
    return _SECRET.sub("", address)


def _environment() -> dict[str, str]:
    """Return an environment in which git asks nobody and reads no repository but the one named."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_DIR")}
    never_ask = {"GIT_TERMINAL_PROMPT": "0", "SSH_ASKPASS": "", "GIT_ALLOW_PROTOCOL": _PROTOCOLS}
    ssh = {"GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")}
    return {**kept, **never_ask, **ssh, "LC_ALL": "C"}


def _reason(printed: str) -> str:
    lines = [line for line in printed.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    reason = (fatal or lines or ["git failed and did not say why"])[0]
    if "couldn't find remote ref HEAD" in reason:
        return "nothing was pushed"
    return without_secret(one_line(reason.removeprefix("fatal:").removeprefix("error:").strip()))


def _tree_files(listing: bytes) -> Iterator[TreeFile]:
    for entry in filter(None, listing.split(b"\0")):
        facts, _tab, path = entry.partition(b"\t")
        mode, _kind, sha, size = facts.decode("ascii").split()
        if _PLAIN_FILE.fullmatch(mode):
            yield TreeFile(os.fsdecode(path), sha, int(size))
