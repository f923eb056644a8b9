"""The memory of one call, limited by the worker itself and seen to by us."""

from __future__ import annotations

from ..language import _
from ..wire.peer import Peer
from .faults import CheckFailed, malformed
from .worker_process import WorkerProcess

HELD_MIB = 32
"""What a submission may hold when its memory is limited: more could be set free in the call."""


def limit_memory(worker: WorkerProcess, peer: Peer, mib: int) -> list[str]:
    """Let the worker have at most `mib` MiB beyond what it holds now, for good. Returns notes.

    Only the worker may lower its own hard limit whoever it runs as, and nobody in it can raise that
    again; whether it did, the kernel tells.

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
