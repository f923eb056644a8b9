"""Limit the memory of one call: the worker limits itself, and the judge verifies it."""

from __future__ import annotations

from ...text.language import _
from ...wire.peer import Peer
from .faults import CheckFailed, malformed
from .worker_process import WorkerProcess

HELD_MIB = 32
"""The most MiB that a submission may hold when its memory is limited.

The call could free what is held, and use that much more."""


def limit_memory(worker: WorkerProcess, peer: Peer, mib: int) -> list[str]:
    """Limit the worker for good to `mib` MiB beyond what it holds now; return notes.

    Only the worker may lower its own hard limit, whichever user it runs as, and nobody in it can
    raise the limit again. The kernel tells whether the worker did so.

    Raises:
        StudentFault: the submission holds too much already, or kept the limit from being set.
    """
    memory = worker.memory()
    if memory is None:
        return [_("the memory of a call can't be limited on this system")]
    if memory.held > HELD_MIB << 20:
        held = _("the file holds {mib} MiB before it is called", mib=memory.held >> 20)
        raise CheckFailed(held, _("at most {mib} MiB", mib=HELD_MIB))
    bound = memory.mapped + (mib << 20)
    peer.call(["B", "limit_memory"], (bound,), {}, {}, {})
    after = worker.memory()
    if after is None or after.limits != (str(bound), str(bound)):
        raise malformed()
    return []
