"""Restrict with Landlock which files this process may open, whoever its user is.

Older kernels know fewer rights. Landlock does not cover `stat`: names, sizes and times of files
stay visible where no other layer hides them. Mapping a shared library needs no right to execute,
so none is given.
"""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from collections.abc import Iterable

from .kernel import LANDLOCK_ADD_RULE, LANDLOCK_CREATE, LANDLOCK_RESTRICT, call

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15

READ = _READ_FILE | _READ_DIR
WRITE = READ | _WRITE_FILE | _TRUNCATE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG
_FOR_FILES = _READ_FILE | _WRITE_FILE | _TRUNCATE

COVERS_TRUNCATE = 3
"""The first version of Landlock that can keep a file from being emptied."""
_TCP = 0b11  # bind and connect
_SCOPES = 0b11  # abstract Unix sockets and signals
_VERSION_FLAG = 1
_FIRST_FD = 10
_RULE_PATH_BENEATH = 1
_LOG_NOTHING = 1  # a submission must not be able to flood the audit log


def abi() -> int:
    """Return the Landlock version of the kernel; 0 if it has none, or has it switched off."""
    try:
        return call("landlock", LANDLOCK_CREATE, None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def handled(version: int) -> tuple[int, int, int]:
    """Return the rights on files, network and scopes that a kernel of this version can refuse."""
    files = (1 << 13) - 1
    files |= _REFER if version >= 2 else 0
    files |= _TRUNCATE if version >= COVERS_TRUNCATE else 0
    files |= _IOCTL_DEV if version >= 5 else 0
    return files, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0


def attributes(version: int) -> bytes:
    """Encode `struct landlock_ruleset_attr`, as long as this version knows it."""
    raw = struct.pack("=QQQ", *handled(version))
    return raw[: 8 if version < 4 else 16 if version < 6 else 24]


class Ruleset:
    """A set of files that may be opened; all others are refused once `enforce` was called."""

    def __init__(self, version: int | None = None) -> None:
        self.abi = abi() if version is None else version
        raw = attributes(self.abi)
        fd = call("landlock_create_ruleset", LANDLOCK_CREATE, raw, len(raw), 0)
        # Beyond the numbers that a worker's own descriptors are put on.
        self.fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _FIRST_FD)
        os.close(fd)

    def allow(self, paths: Iterable[str], rights: int) -> None:
        """Allow `rights` on the files at and beneath `paths`. Raises OSError."""
        for path in paths:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                wanted = rights & handled(self.abi)[0]
                if not stat.S_ISDIR(os.fstat(fd).st_mode):
                    wanted &= _FOR_FILES
                rule = struct.pack("=Qi", wanted, fd)
                call("landlock_add_rule", LANDLOCK_ADD_RULE, self.fd, _RULE_PATH_BENEATH, rule, 0)
            finally:
                os.close(fd)

    def enforce(self) -> None:
        """Enforce the rules on this process for good, and close the ruleset.

        The process must have no_new_privs set.
        """
        flags = _LOG_NOTHING if self.abi >= 7 else 0
        call("landlock_restrict_self", LANDLOCK_RESTRICT, self.fd, flags)
        self.close()

    def close(self) -> None:
        os.close(self.fd)
