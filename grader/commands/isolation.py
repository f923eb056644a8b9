"""`grader doctor --isolation`: how submissions are confined on this machine, as it was seen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from grader.commands.faults import in_words
from grader.witness import Witnessed, witness

APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
MAX_NAMESPACES = Path("/proc/sys/user/max_user_namespaces")


def run(look: Callable[[], Witnessed] = witness) -> int:
    """Prints every property and whether it was seen to hold; 0 if the tier keeps its promises."""
    with in_words():
        seen = look()
    width = max(len(finding.probe.prevents) for finding in seen.findings)
    reason = seen.isolation.get("reason")
    click.echo(f"isolation {seen.tier}" + (f" ({reason})" if reason else ""))
    for finding in seen.findings:
        holds = "holds" if finding.holds else "does not hold"
        doubt = "" if finding.witnessed else "  (not witnessed: it failed outside as well)"
        click.echo(f"{holds:<14} {finding.probe.prevents:<{width}}{doubt}".rstrip())
    weak = seen.isolation.get("weak")
    for text in weak if isinstance(weak, (list, tuple)) else ():
        click.echo(f"weak           {text}")
    click.echo(_next(seen))
    return 3 if seen.broken else 0


def _next(seen: Witnessed) -> str:
    if seen.broken:
        names = ", ".join(finding.probe.name for finding in seen.broken)
        return f"next: grade nothing hidden here; the tier breaks its promise: {names}"
    if seen.tier == "full":
        return "next: grader check"
    return f"next: {hint(APPARMOR, MAX_NAMESPACES, sys.platform)}"


def hint(apparmor: Path, max_namespaces: Path, platform: str) -> str:
    """What would give a better tier on this system."""
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
