"""Define probes: small functions that try what isolation must prevent.

They are text, because they run as student code. Each returns `done` when it succeeded. Outside a
jail every one of them must: a probe that fails there proves nothing by failing inside.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class IsolationProbe:
    """One thing to try. Text in braces is filled in: the canary's path, a port, a process."""

    name: str
    """Also the name of the function."""
    prevents: str
    """The property that holds if the probe fails, in a few words for a person."""
    body: str
    promised: tuple[str, ...]
    """The tiers that promise it."""

    def source(self, **facts: object) -> str:
        lines = self.body.format(**facts).strip().splitlines()
        return f"def {self.name}():\n" + "".join(f"    {line}\n" for line in lines)


BOTH, FULL = ("full", "partial"), ("full",)

PROBES = (
    IsolationProbe(
        "read_file",
        "files of others can't be read",
        "open({canary!r}).read()\nreturn 'done'",
        BOTH,
    ),
    IsolationProbe(
        "list_folder",
        "folders of others can't be listed",
        "import os\nreturn 'done' if os.listdir({folder!r}) else 'empty'",
        BOTH,
    ),
    IsolationProbe(
        "ask_about_file",
        "names and sizes of files of others can't be asked for",
        "import os\nos.stat({canary!r})\nreturn 'done'",
        FULL,
    ),
    IsolationProbe(
        "write_file",
        "no file can be made outside the scratch folder",
        "open({canary!r} + '.new', 'w').close()\nreturn 'done'",
        BOTH,
    ),
    IsolationProbe(
        "fill_scratch",
        "the scratch folder is bounded, or there is none",
        """
import os
folder = os.environ.get("TMPDIR", "/tmp")
names = [f"{{folder}}/probe-{nonce}-{{n}}" for n in range(6)]
try:
    for name in names:
        with open(name, "wb") as file:
            file.write(bytes(8 << 20))
finally:
    for name in names:
        if os.path.exists(name):
            os.unlink(name)
return "done"
""",
        BOTH,
    ),
    IsolationProbe(
        "connect",
        "no network, this machine's own included",
        "import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)\nreturn 'done'",
        BOTH,
    ),
    IsolationProbe(
        "fork",
        "no process can be started",
        """
import os
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
return "done"
""",
        BOTH,
    ),
    IsolationProbe(
        "execute",
        "no program can be run",
        "import subprocess, sys\nsubprocess.run([{python!r}, '-S', '-c', ''])\nreturn 'done'",
        BOTH,
    ),
    IsolationProbe(
        "signal_others",
        "no other process can be signalled",
        "import os\nos.kill({process}, 0)\nreturn 'done'",
        BOTH,
    ),
    IsolationProbe(
        "see_processes",
        "no other process can be seen",
        "import os\nos.listdir('/proc/{process}')\nreturn 'done'",
        BOTH,
    ),
    IsolationProbe(
        "trace_others",
        "no other process can be traced",
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
ATTACH, DETACH = 16, 17
if libc.ptrace(ATTACH, {process}, None, None) != 0:
    raise OSError(ctypes.get_errno(), "ptrace")
import time
for _ in range(1000):
    if libc.ptrace(DETACH, {process}, None, None) == 0:
        break
    time.sleep(0.002)
return "done"
""",
        BOTH,
    ),
    IsolationProbe(
        "take_memory",
        "memory is bounded",
        "import mmap\nmmap.mmap(-1, 2 << 30)\nreturn 'done'",
        ("full", "partial", "none"),
    ),
    IsolationProbe(
        "gain_namespace",
        "no namespace, and so no new right, can be had",
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
NEWUSER = 0x10000000
if libc.unshare(NEWUSER) != 0:
    raise OSError(ctypes.get_errno(), "unshare")
return "done"
""",
        BOTH,
    ),
    IsolationProbe(
        "read_own_environment",
        "the environment holds nothing of the grader's",
        "import os\nreturn 'done' if 'GRADER_CANARY' in os.environ else 'absent'",
        ("full", "partial", "none"),
    ),
)
