"""`grader doctor --isolation`: show how submissions are confined on this machine, by trying it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from grader.cli.faults import in_words
from grader.engine.isolation_test import IsolationReport, isolation_report
from grader.text.typed import here
from grader.wire.isolation_record import IsolationRecord

APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
MAX_NAMESPACES = Path("/proc/sys/user/max_user_namespaces")


def run(look: Callable[[], IsolationReport] = isolation_report) -> int:
    """Print every property and whether it was seen to hold.

    Returns 0 if the tier keeps its promises, else 3.
    """
    with in_words():
        report = look()
    width = max(len(finding.probe.prevents) for finding in report.findings)
    isolation = report.isolation or IsolationRecord(report.tier)
    reason = f" ({isolation.reason})" if isolation.reason else ""
    click.echo(f"isolation {report.tier}{reason}")
    for finding in report.findings:
        holds = "holds" if finding.holds else "does not hold"
        doubt = "" if finding.succeeds_outside else "  (not proven: it failed outside as well)"
        click.echo(f"{holds:<14} {finding.probe.prevents:<{width}}{doubt}".rstrip())
    for text in isolation.weak:
        click.echo(f"weak           {text}")
    click.echo(_next(report))
    return 3 if report.broken else 0


def _next(report: IsolationReport) -> str:
    if report.broken:
        names = ", ".join(finding.probe.name for finding in report.broken)
        return f"next: grade nothing hidden here; the tier breaks its promise: {names}"
    if report.tier == "full":
        return f"next: {here().command('check')}"
    return f"next: {hint(APPARMOR, MAX_NAMESPACES, sys.platform)}"


def hint(apparmor: Path, max_namespaces: Path, platform: str) -> str:
    """Say how to get a better tier on this system."""
    if platform != "linux":
        return "grade hidden criteria on Linux, or in a container: only there is a jail to be had"
    if _content(apparmor) == "1":
        return (
            "Ubuntu keeps user namespaces from ordinary users. Run the grader as root, or: "
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if _content(max_namespaces) == "0":
        return "user namespaces are switched off: sudo sysctl user.max_user_namespaces=10000"
    return "in a container, allow namespaces and mounts, or run the grader outside of it"


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""
