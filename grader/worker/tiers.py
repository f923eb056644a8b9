"""Build the three tiers: the jail around a zygote, and the layers its workers add.

All that can be built before the fork is built before the fork.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..text.language import _
from .isolation import Jail
from .jail import allowed, landlock, layers, namespaces, seccomp, tree
from .jail.kernel import LINUX, architecture, die_with_parent
from .jail.layers import IsolationLayer, Limits

TIERS = ("full", "partial", "none")
"""The tiers, the best one first."""


def prepare(
    tier: str, stack_fds: Iterable[int], reason: str = "", without: Iterable[str] = ()
) -> Jail:
    """Make a tier ready in this process, whose children the workers will be.

    `reason` says why it is not a better one. `without` names layers that are left out, to prove
    that a test of them can fail. Raises OSError if the tier can't be had; this process, which
    may already have given up a part of what it could, must then end.
    """
    make = {"full": full, "partial": partial, "none": unconfined}[tier]
    return replace(make(list(stack_fds), reason), without=frozenset(without))


# ---- full ----------------------------------------------------------------------------------

_AROUND_FULL = (
    "own files only",
    "own process tree",
    "no network",
    "own IPC, host name and control groups",
    "own user",
)


def full(stack_fds: list[int], reason: str = "") -> Jail:
    """Build namespaces and a file tree around the zygote; a worker puts on every layer."""
    program = _program()
    mapped = layers.mapped_bytes()
    namespaces.enter(stack_fds)
    _become_first_process()
    version = landlock.abi()

    def worker(limits: Limits, scratch: str) -> list[IsolationLayer]:
        box = tree.SCRATCH
        used_layers = [
            IsolationLayer("session", layers.session),
            IsolationLayer("scratch", lambda: layers.private_mounts(box)),
            IsolationLayer("user", layers.private_user),
            IsolationLayer("environment", lambda: layers.environment(box)),
            IsolationLayer("capabilities", layers.capabilities),
            IsolationLayer("no_new_privileges", layers.no_new_privileges),
            IsolationLayer("undumpable", layers.undumpable),
            IsolationLayer("limits", lambda: layers.limits(limits, mapped, own_user=True)),
        ]
        if version:
            used_layers.append(IsolationLayer("landlock", lambda: layers.landlock_on_tree(box)))
        return [*used_layers, IsolationLayer("seccomp", lambda: layers.filter_calls(program))]

    return Jail(
        "full",
        worker,
        fork=namespaces.OwnPids().fork,
        standing=_AROUND_FULL,
        weak=() if version else ("no Landlock in this kernel: one layer less",),
        landlock_abi=version,
        reason=reason,
    )


def _become_first_process() -> None:
    """Fork into the PID namespace; this process only waits for its child and ends like it."""
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        return
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.waitpid(pid, 0)
    os._exit(0)


# ---- partial -------------------------------------------------------------------------------

_WEAK_PARTIAL = (
    "names, sizes and times of other files can be asked for",
    "no namespaces: one kernel object of another process may be seen",
    "no scratch folder",
)


def partial(stack_fds: list[int], reason: str = "") -> Jail:
    """Confine a process as far as possible without namespaces, as in an unprivileged container."""
    version = landlock.abi()
    if not version:
        raise OSError(_("Landlock: not in this kernel, or switched off"))
    program = _program(scratch=False, may_truncate=version >= landlock.COVERS_TRUNCATE)
    mapped = layers.mapped_bytes()
    folders = [f"/proc/self/fd/{fd}" for fd in stack_fds]
    readable = _readable(folders)
    user = _step_down(readable)
    rules = landlock.Ruleset()
    rules.allow(readable, landlock.READ)
    rules.allow(allowed.DEVICES, landlock.READ)
    rules.allow([os.devnull], landlock.WRITE)

    def worker(limits: Limits, scratch: str) -> list[IsolationLayer]:
        return [
            IsolationLayer("session", layers.session),
            IsolationLayer("environment", lambda: layers.environment("")),
            IsolationLayer("capabilities", layers.capabilities),
            IsolationLayer("no_new_privileges", layers.no_new_privileges),
            IsolationLayer("undumpable", layers.undumpable),
            IsolationLayer("limits", lambda: layers.limits(limits, mapped, own_user=False)),
            IsolationLayer("landlock", rules.enforce),
            IsolationLayer("seccomp", lambda: layers.filter_calls(program)),
        ]

    return Jail(
        "partial",
        worker,
        keep_fds=(*stack_fds, rules.fd),
        standing=("own user",) if user else (),
        weak=_WEAK_PARTIAL if user else (*_WEAK_PARTIAL, "the same user as the grader"),
        landlock_abi=rules.abi,
        reason=reason,
    )


def _readable(folders: list[str]) -> list[str]:
    files = allowed.allowed(folders)
    libraries = [path for folder in files.libraries for path in allowed.library_entries(folder)]
    return [path for path in (*files.entries, *libraries) if os.path.exists(path)]


def _step_down(needed: list[str]) -> bool:
    """Change from root to a user who owns nothing, if that user can reach what is `needed`.

    Return whether the user was changed.
    """
    if os.geteuid() != 0:
        return False
    nobody = namespaces.NOBODY
    os.setegid(nobody)
    os.seteuid(nobody)
    missing = allowed.readable_by_us(needed)
    os.seteuid(0)
    os.setegid(0)
    if missing is not None:  # such as an interpreter in a home that only root may enter
        return False
    os.setgroups([])
    os.setresgid(nobody, nobody, nobody)
    os.setresuid(nobody, nobody, nobody)
    die_with_parent()
    return True


def _program(*, scratch: bool = True, may_truncate: bool = True) -> bytes:
    if not seccomp.supported():
        text = _("seccomp: no table of system calls for {machine}", machine=architecture())
        raise OSError(text)
    return seccomp.program_for(architecture(), scratch=scratch, may_truncate=may_truncate)


# ---- none ----------------------------------------------------------------------------------

_WEAK_NONE = (
    "files of this user can be read and written",
    "the network can be reached",
    "processes of this user can be seen and signalled",
    "processes can be started",
)


def unconfined(stack_fds: Sequence[int], reason: str = "") -> Jail:
    """Guard the run against accidents only: a submission can reach every file of the same user."""

    def worker(limits: Limits, scratch: str) -> list[IsolationLayer]:
        mapped = layers.mapped_bytes()
        return [
            IsolationLayer("session", layers.session),
            IsolationLayer("environment", lambda: layers.environment(scratch)),
            *([IsolationLayer("no_new_privileges", layers.no_new_privileges)] if LINUX else []),
            IsolationLayer("limits", lambda: layers.limits(limits, mapped, own_user=False)),
        ]

    return Jail(
        "none",
        worker,
        scratch=True,
        keep_fds=tuple(stack_fds),
        weak=_WEAK_NONE,
        reason=reason,
    )
