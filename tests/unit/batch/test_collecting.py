"""Repositories of a class: the commit that counts, with its files and its time, and nothing run."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from grader.batch.attempts import with_rule
from grader.batch.collected_table import CollectedRow, read_table
from grader.batch.collecting import (
    CollectedClass,
    CollectError,
    CollectPlan,
    collect,
    read_pushes,
)
from grader.batch.discovery import BatchError, discover
from grader.batch.git_repository import without_secret
from grader.batch.roster import read_roster
from grader.batch.time_columns import RosterError
from grader.cli import cli
from grader.course.attempts import AttemptRule
from grader.text.moments import Moment, read_moment

DEADLINE = read_moment("2026-11-20T23:59:00+09:00")
EARLY, LATE = "2026-11-19T12:00:00+09:00", "2026-11-22T12:00:00+09:00"
STEMS = ("a1_attention",)


class Forge:
    """Repositories on this machine, as a forge holds them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pattern = f"{folder}/a1-{{login}}"

    def git(self, login: str, *words: str, at: str = EARLY) -> str:
        who = {"GIT_AUTHOR_NAME": login, "GIT_AUTHOR_EMAIL": "x", "GIT_AUTHOR_DATE": at}
        who |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}
        done = subprocess.run(
            ["git", "-C", str(self.folder / f"a1-{login}"), *words],
            env={**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull},
            check=True,
            capture_output=True,
            encoding="utf-8",
        )
        return done.stdout.strip()

    def make(self, login: str) -> Path:
        place = self.folder / f"a1-{login}"
        place.mkdir(parents=True)
        self.git(login, "init", "--quiet")
        return place

    def commit(self, login: str, text: str, at: str = EARLY) -> str:
        place = self.folder / f"a1-{login}"
        if not place.exists():
            self.make(login)
        (place / "a1_attention.py").write_text(text, encoding="utf-8")
        self.git(login, "add", "-A")
        self.git(login, "commit", "--quiet", "-m", "work", at=at)
        return self.git(login, "rev-parse", "HEAD")


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path / "forge")


def planned(
    tmp_path: Path, forge: Forge, *logins: str, at: Moment | None = DEADLINE
) -> CollectPlan:
    path = tmp_path / "roster.csv"
    path.write_text("login\n" + "".join(f"{login}\n" for login in logins), encoding="utf-8")
    return CollectPlan(read_roster(path), forge.pattern, at)


def test_each_push_in_time_is_a_hand_in(tmp_path: Path, forge: Forge) -> None:
    times = (EARLY, "2026-11-20T12:00:00+09:00", LATE)
    commits = [forge.commit("one", f"x = {n}\n") for n in range(3)]
    forge.commit("two", "x = 9\n")
    table = tmp_path / "pushes.csv"
    lines = (f"one,{commit},{at}\n" for commit, at in zip(commits, times, strict=True))
    table.write_text("login,commit,pushed_at\n" + "".join(lines), encoding="utf-8")
    plan = planned(tmp_path, forge, "one", "two")
    plan = replace(plan, pushes=read_pushes(table, plan.roster), each_push=True)

    first = collect(plan, into(tmp_path))
    again = collect(plan, into(tmp_path))
    entries = discover(into(tmp_path), tmp_path / "out", STEMS).entries
    [counted] = with_rule(entries, AttemptRule.FIRST)

    assert [(row.id, row.folder, row.commit, row.problem) for row in first.rows] == [
        ("one", "one~1", commits[0], ""),
        ("one", "one~2", commits[1], ""),
        ("two", "two", "", "nothing was pushed in time"),
    ]
    assert (again.rows, again.unchanged) == (first.rows, frozenset({"one"}))
    assert [entry.student for entry in entries] == ["one", "one"]
    assert (counted.id, counted.read().files) == ("one", {"a1_attention.py": b"x = 0\n"})
    assert len(list((into(tmp_path) / ".repositories").iterdir())) == 2


def test_each_push_needs_the_forges_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "roster.csv").write_text("login\none\n", encoding="utf-8")
    words = ["collect", str(tmp_path / "roster.csv"), "--into", str(tmp_path), "--each-push"]
    assert cli.main(words) == 2
    assert "--each-push: commits are no hand-ins" in capsys.readouterr().err


def into(tmp_path: Path) -> Path:
    return tmp_path / "class"


def by_id(collection: CollectedClass) -> dict[str, CollectedRow]:
    return {row.id: row for row in collection.rows}


def code(tmp_path: Path, student: str) -> str:
    return (into(tmp_path) / student / "a1_attention.py").read_text("utf-8")


def test_the_last_commit_before_the_deadline_counts(tmp_path: Path, forge: Forge) -> None:
    sha = forge.commit("student-001", "in time")
    forge.commit("student-001", "late", LATE)

    row = by_id(collect(planned(tmp_path, forge, "student-001"), into(tmp_path)))["student-001"]

    assert code(tmp_path, "student-001") == "in time"
    assert (row.commit, row.handed_in, row.time_of) == (sha, EARLY, "commit")
    newest = planned(tmp_path, forge, "student-001", at=None)
    assert by_id(collect(newest, into(tmp_path)))["student-001"].handed_in == LATE
    assert code(tmp_path, "student-001") == "late"


def test_the_forge_knows_better_when_something_came(tmp_path: Path, forge: Forge) -> None:
    honest = forge.commit("student-001", "in time")
    backdated = forge.commit("student-001", "back-dated", EARLY)
    pushes = tmp_path / "pushes.csv"
    pushes.write_text(
        f"login,commit,pushed_at\nstudent-001,{honest},{EARLY}\n"
        f"STUDENT-001,{backdated},{LATE}\nanother,{backdated},{LATE}\n,,\n",
        encoding="utf-8",
    )
    plan = planned(tmp_path, forge, "student-001")
    plan = replace(plan, pushes=read_pushes(pushes, plan.roster))

    row = by_id(collect(plan, into(tmp_path)))["student-001"]

    assert code(tmp_path, "student-001") == "in time"
    assert (row.commit, row.handed_in, row.time_of) == (honest, EARLY, "push")


def test_a_commit_that_was_pushed_over_is_still_here(tmp_path: Path, forge: Forge) -> None:
    first = forge.commit("student-001", "first")
    collect(planned(tmp_path, forge, "student-001"), into(tmp_path))
    forge.git("student-001", "commit", "--quiet", "--amend", "-m", "again")
    pushes = tmp_path / "pushes.csv"
    pushes.write_text(f"login,commit,pushed_at\nstudent-001,{first},{EARLY}\n", encoding="utf-8")
    plan = planned(tmp_path, forge, "student-001")
    plan = replace(plan, pushes=read_pushes(pushes, plan.roster))

    assert by_id(collect(plan, into(tmp_path)))["student-001"].commit == first

    gone = pushes.read_text("utf-8").replace(first, "0" * 40)
    pushes.write_text(gone, encoding="utf-8")
    plan = replace(plan, pushes=read_pushes(pushes, plan.roster))
    row = by_id(collect(plan, into(tmp_path)))["student-001"]
    assert row.problem.startswith("commit 000000000000, pushed 2026-11-19 12:00, is not in the rep")
    assert row.commit == ""


def test_who_has_nothing_is_told_why(tmp_path: Path, forge: Forge) -> None:
    forge.commit("late", "x", LATE)
    forge.make("empty")

    rows = by_id(collect(planned(tmp_path, forge, "late", "empty", "none"), into(tmp_path)))

    assert {id: row.problem for id, row in rows.items() if id != "none"} == {
        "late": "nothing was committed in time",
        "empty": "nothing was pushed",
    }
    assert "does not appear to be a git repository" in rows["none"].problem
    assert not any((into(tmp_path) / id).exists() for id in rows)


def test_what_has_not_changed_is_not_written_again(tmp_path: Path, forge: Forge) -> None:
    plan = planned(tmp_path, forge, "student-001", "student-002")
    forge.commit("student-001", "one")
    forge.commit("student-002", "two")
    assert collect(plan, into(tmp_path)).unchanged == frozenset()
    (into(tmp_path) / "student-001" / "mark").touch()
    forge.commit("student-002", "new")

    assert collect(plan, into(tmp_path)).unchanged == {"student-001"}

    assert (into(tmp_path) / "student-001" / "mark").exists()
    assert code(tmp_path, "student-002") == "new"
    assert not list(into(tmp_path).glob(".new-*")) + list(into(tmp_path).glob(".old-*"))


def test_what_was_collected_counts_when_a_repository_is_gone(tmp_path: Path, forge: Forge) -> None:
    plan = planned(tmp_path, forge, "student-001")
    sha = forge.commit("student-001", "one")
    collect(plan, into(tmp_path))
    (forge.folder / "a1-student-001").rename(forge.folder / "gone")

    row = by_id(collect(plan, into(tmp_path)))["student-001"]
    assert row.commit == sha
    assert row.problem.endswith("; what was collected before counts")
    assert len(discover(into(tmp_path), tmp_path / "out", STEMS).entries) == 1

    earlier = replace(plan, at=read_moment("2026-11-18T00:00:00Z"))
    assert by_id(collect(earlier, into(tmp_path)))["student-001"].commit == ""


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, forge: Forge) -> None:
    forge.commit("student-001", "one")
    mine = into(tmp_path) / "student-001"
    mine.mkdir(parents=True)
    (mine / "notes.txt").write_text("mine", encoding="utf-8")

    row = by_id(collect(planned(tmp_path, forge, "student-001"), into(tmp_path)))["student-001"]

    assert row.problem == f"{mine} is there and was not collected. Move it away"
    assert [path.name for path in mine.iterdir()] == ["notes.txt"]


def test_nothing_of_a_repository_runs_and_no_link_is_followed(tmp_path: Path, forge: Forge) -> None:
    place = forge.make("student-001")
    (place / "link.py").symlink_to("/etc/passwd")
    (place / "folder").symlink_to("/etc")
    (place / ".gitattributes").write_text("*.py filter=evil export-subst\n", encoding="utf-8")
    (place / ".gitmodules").write_text(
        '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ran\n', encoding="utf-8"
    )
    hook = place / ".git" / "hooks" / "post-upload-pack"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", encoding="utf-8")
    hook.chmod(0o755)
    forge.commit("student-001", "$Format:%H$")

    row = by_id(collect(planned(tmp_path, forge, "student-001"), into(tmp_path)))["student-001"]

    assert row.problem == ""
    found = {path.name for path in (into(tmp_path) / "student-001").rglob("*")}
    assert found == {"a1_attention.py", ".gitattributes", ".gitmodules"}
    assert code(tmp_path, "student-001") == "$Format:%H$"
    assert not (tmp_path / "ran").exists()


def test_paths_that_lead_elsewhere_are_not_written(tmp_path: Path, forge: Forge) -> None:
    forge.commit("student-001", "one")
    blob = forge.git("student-001", "rev-parse", "HEAD:a1_attention.py")
    entries = "".join(f"100644 blob {blob}\t{name}\0" for name in ("a1_attention.py", ".."))
    made = subprocess.run(
        ["git", "-C", str(forge.folder / "a1-student-001"), "mktree", "-z"],
        input=entries.encode(), capture_output=True, check=True,
    )  # fmt: skip
    tree = made.stdout.decode().strip()
    sha = forge.git("student-001", "commit-tree", tree, "-m", "x")
    forge.git("student-001", "update-ref", "HEAD", sha)

    row = by_id(collect(planned(tmp_path, forge, "student-001"), into(tmp_path)))["student-001"]

    assert row.commit == sha
    assert [path.name for path in (into(tmp_path) / "student-001").iterdir()] == ["a1_attention.py"]


@pytest.mark.parametrize(
    ("login", "words"),
    [
        ("a/../b", "'a/../b' cannot stand in an address"),
        ("..", "'..' cannot stand in an address"),
        ("a b", "'a b' cannot stand in an address"),
    ],
)
def test_a_name_that_is_no_part_of_an_address(
    tmp_path: Path, forge: Forge, login: str, words: str
) -> None:
    with pytest.raises(CollectError) as refused:
        collect(planned(tmp_path, forge, login), into(tmp_path))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "address", ["--upload-pack=touch ran", "-x", "ext::sh", "fd::3", "a b", "https://h/{login}\n"]
)
def test_an_address_that_is_none(tmp_path: Path, address: str) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f'id,repository\nstudent-001,"{address.strip()}"\n', encoding="utf-8")
    if address.endswith("\n"):
        path.write_text("id,repository\nstudent-001,\n", encoding="utf-8")
    with pytest.raises(CollectError, match="student-001: "):
        collect(CollectPlan(read_roster(path)), into(tmp_path))


def test_the_roster_overrides_the_pattern(tmp_path: Path, forge: Forge) -> None:
    forge.commit("other", "one")
    path = tmp_path / "roster.csv"
    path.write_text(
        f"ID,Login,Repository\n001,student-001,{forge.folder}/a1-other\n", encoding="utf-8"
    )
    rows = by_id(collect(CollectPlan(read_roster(path), forge.pattern), into(tmp_path)))
    assert rows["001"].repository == f"{forge.folder}/a1-other"
    assert rows["001"].commit


def test_a_pattern_with_an_unknown_column(tmp_path: Path, forge: Forge) -> None:
    plan = replace(planned(tmp_path, forge, "student-001"), pattern="https://host/{logn}")
    with pytest.raises(CollectError, match="no column 'logn'"):
        collect(plan, into(tmp_path))


def test_tokens_are_not_kept(tmp_path: Path) -> None:
    assert without_secret("https://u:t@example.org/a") == "https://example.org/a"
    assert without_secret("git@example.org:a/b.git") == "git@example.org:a/b.git"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ":1: no column login"),
        ("login,commit\n", ":1: no column pushed_at"),
        ("login,commit,pushed_at\nstudent-001,abc,yesterday\n", ":2: 'yesterday' is no time"),
        ("login,commit,pushed_at\nstudent-001,abc,2026-11-20 12:00\n", ":2: '2026-11-20 12:00'"),
        ('login,commit,pushed_at\n"student', ": cannot be read"),
    ],
)
def test_pushes_that_cannot_be_used(tmp_path: Path, forge: Forge, text: str, words: str) -> None:
    path = tmp_path / "pushes.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RosterError) as refused:
        read_pushes(path, planned(tmp_path, forge, "student-001").roster)
    assert str(refused.value).startswith(f"{path}{words}")


# ---- as a command, and in a batch ------------------------------------------------------------


def test_a_batch_reads_what_was_collected(
    tmp_path: Path, forge: Forge, capsys: pytest.CaptureFixture[str]
) -> None:
    forge.commit("student-001", "one")
    plan = planned(tmp_path, forge, "student-001", "student-002")
    roster, folder = str(plan.roster.path), str(into(tmp_path))
    words = ["collect", roster, "--from", forge.pattern, "--into", folder, "--at", DEADLINE.iso]

    assert cli.main(words) == 3
    printed = capsys.readouterr().out
    found = discover(into(tmp_path), tmp_path / "out", STEMS)

    assert "1 of 2 students: 0 unchanged, 1 with nothing" in printed
    assert "The times are those of the commits, which whoever commits can set" in printed
    assert f"next: grader batch {folder} --roster {roster}\n" in printed
    assert (found.layout, found.others) == ("git", ())
    assert [(entry.id, entry.arrivals[0].at.iso) for entry in found.entries] == [
        ("student-001", EARLY)
    ]
    assert found.unread[0].startswith("student-002: ")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (b"", "cannot be read"),
        (b"id,folder\n", "not as `grader collect` writes it"),
        (b"\xff\xff", "cannot be read"),
        (
            b"id,folder,repository,commit,handed_in,time_of,problem\na,../b,c,d,e,f,\n",
            ":2: '../b' is no folder",
        ),
    ],
)
def test_a_table_that_was_changed(tmp_path: Path, table: bytes, words: str) -> None:
    into(tmp_path).mkdir()
    (into(tmp_path) / "collected.csv").write_bytes(table)
    with pytest.raises(BatchError) as refused:
        discover(into(tmp_path), tmp_path / "out", STEMS)
    assert words in str(refused.value)


def test_names_that_a_spreadsheet_would_compute_come_back(tmp_path: Path, forge: Forge) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f"id,repository\n=1+1,{forge.folder}/a1-x\n", encoding="utf-8")
    forge.commit("x", "one")
    collect(CollectPlan(read_roster(path)), into(tmp_path))
    assert [row.id for row in read_table(into(tmp_path))] == ["=1+1"]
    assert b"'=1+1" in (into(tmp_path) / "collected.csv").read_bytes()


@pytest.mark.parametrize("at", ["yesterday", "2026-11-20 23:59"])
def test_a_time_that_is_none(tmp_path: Path, forge: Forge, at: str) -> None:
    plan = planned(tmp_path, forge, "student-001")
    words = ["collect", str(plan.roster.path), "--into", str(into(tmp_path)), "--at", at]
    assert cli.main(words) == 2
