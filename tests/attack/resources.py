"""Attacks on the batch: time, memory, disk, processes, and crashes.

All of them are bounded by themselves, so that they do no harm where a layer is left out.
"""

from __future__ import annotations

import textwrap

from tests.attack.attack import STEM, Catalogue, End, Family

CATALOGUE = Catalogue(Family.RESOURCES)
deed, points = CATALOGUE.deed, CATALOGUE.points
TIMED_OUT, KILLED, REFUSED = End.TIMED_OUT, End.KILLED, End.REFUSED

# ---- time ------------------------------------------------------------------------------------

deed("loop", "never come back", "while True:\n    pass", full="deadline", must=(TIMED_OUT,))
deed(
    "deaf-loop",
    "never come back, and swallow every signal and exception",
    """
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
    """,
    full="deadline",
    must=(TIMED_OUT,),
)
deed(
    "regular-expression",
    "hold the interpreter's lock in one endless match",
    "import re\nreturn re.match(r'(a+)+$', 'a' * 60 + 'b')",
    full="deadline",
    must=(TIMED_OUT,),
)
deed("sleep", "sleep", "time.sleep(60)", full="deadline", must=(TIMED_OUT,))
deed(
    "stop",
    "stop itself with a signal",
    "os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(60)",
    full="deadline",
    must=(TIMED_OUT,),
)
deed(
    "deadlock",
    "wait for a lock that nobody gives back",
    "lock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    full="deadline",
    must=(TIMED_OUT,),
)
deed(
    "busy-threads",
    "leave threads at work that slow every later check down",
    """
    def burn():
        while True:
            pass
    for _ in range(4):
        threading.Thread(target=burn, daemon=True).start()
    return "left"
    """,
    full="topology",
    must=(REFUSED,),
)
deed(
    "starve-itself",
    "keep its own call from the processor, so that the machine is blamed",
    """
    def burn():
        x = torch.ones(400, 400)
        while True:
            x @ x
    for _ in range(8):
        threading.Thread(target=burn, daemon=True).start()
    burn()
    """,
    full="deadline",
    must=(TIMED_OUT,),
)
deed(
    "slow-end",
    "hang while the interpreter ends",
    """
    import atexit
    atexit.register(time.sleep, 60)
    class Slow:
        def __del__(self):
            time.sleep(60)
    sys.slow = Slow()
    return "left"
    """,
    full="topology",
    must=(REFUSED,),
)
deed(
    "slow-import",
    "hang while it is imported",
    "return 'nothing'",
    top="SLEPT = time.sleep(60)\n",
    full="deadline",
    must=(REFUSED, TIMED_OUT, End.ABSENT),
)
deed(
    "long-number",
    "compute a number of a billion digits",
    "return len(str(7 ** (10 ** 9)))",
    full="deadline",
    must=(TIMED_OUT, REFUSED, KILLED),
)

# ---- memory ----------------------------------------------------------------------------------

deed(
    "tensor-bomb",
    "take memory in tensors",
    """
    kept = [torch.empty(1 << 28, dtype=torch.uint8) for _ in range(8)]
    return f"done {len(kept)}"
    """,
    full="limits",
)
deed(
    "one-tensor",
    "take 8 TiB at once",
    "return f'done {len(torch.empty(1 << 43, dtype=torch.uint8))}'",
    full="limits kernel",
)
deed(
    "mapping",
    "reserve address space",
    "import mmap\nkept = mmap.mmap(-1, 2 << 30)\nreturn 'done'",
    full="limits",
)
deed(
    "file-in-memory",
    "take memory that no limit of address space counts",
    """
    fd = call("memfd_create", ctypes.c_char_p(b"x"), 0)
    os.ftruncate(fd, 1 << 20)
    os.close(fd)
    return "done"
    """,
    full="seccomp",
)
deed(
    "secret-memory",
    "take memory that is locked",
    'os.close(call("memfd_secret", 0))\nreturn "done"',
    full="seccomp kernel",
)
deed(
    "pipes",
    "fill pipes and sockets, which no limit of address space counts",
    """
    kept = []
    for _ in range(100):
        ends = os.pipe()
        os.set_blocking(ends[1], False)
        os.write(ends[1], bytes(65536))
        kept.append(ends)
    return f"done {len(kept)}"
    """,
    full="limits",
)
deed("recursion", "recurse without end", "return attempt()", full="loader", must=(REFUSED,))
deed(
    "deep-recursion",
    "recurse beyond the stack",
    """
    sys.setrecursionlimit(10 ** 9)
    thing = []
    for _ in range(10 ** 6):
        thing = [thing]
    return repr(thing)[:4]
    """,
    full="topology",
    must=(KILLED, REFUSED, TIMED_OUT),
)
points(
    "source-bomb",
    "have the source itself explode while it is parsed",
    "def work(x):\n    return x\n\nBOMB = " + "(" * 3000 + ")" * 3000 + "\n",
    by="topology",
    must=(End.WRONG, End.ABSENT),
)
points(
    "source-long",
    "hand in three megabytes of source",
    "def work(x):\n    return x\n\n" + "A = 1\n" * 500_000,
    by="loader",
    must=(REFUSED,),
)
points(
    "source-constant",
    "have a constant expression explode while it is compiled",
    "def work(x):\n    return x\n\nBOMB = lambda: ((1 << 40) ** (1 << 8)) ** (1 << 12)\n",
    by="topology",
    must=(End.WRONG, End.ABSENT),
)
points(
    "source-nul",
    "hand in source with NUL bytes and a strange encoding",
    "",
    more={f"{STEM}.py": b"# -*- coding: utf-7 -*-\ndef work(x):\n    return x\0\n"},
    by="loader",
    must=(End.ABSENT, REFUSED),
)

# ---- processes and threads -------------------------------------------------------------------

COUNT = """
def started(start):
    count = 0
    for _ in range(20):
        pid = start()
        if pid == 0:
            os._exit(0)
        count += 1
        os.waitpid(pid, 0)
    return count
"""
deed("fork-bomb", "start twenty processes", "return f'done {started(os.fork)}'",
     top=COUNT, full="seccomp", must=(REFUSED,))  # fmt: skip
deed(
    "fork-bare",
    "start a process by the bare call",
    """
    pid = call("clone", signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        call("exit_group", 0)
    os.waitpid(pid, 0)
    return "done"
    """,
    full="seccomp",
)
deed(
    "clone3",
    "start a process by the call whose flags no filter can read",
    """
    how = struct.pack("=8Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    pid = call("clone3", ctypes.c_char_p(how), len(how))
    if pid == 0:
        call("exit_group", 0)
    os.waitpid(pid, 0)
    return "done"
    """,
    full="seccomp",
)
deed(
    "daemon",
    "leave a process behind that nobody waits for",
    """
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    os.waitpid(pid, 0)
    return "done"
    """,
    full="seccomp",
)
deed(
    "threads",
    "start four hundred threads",
    """
    gate = threading.Event()
    count = 0
    try:
        for _ in range(400):
            threading.Thread(target=gate.wait, args=(1,), daemon=True).start()
            count += 1
    except (RuntimeError, MemoryError):
        pass
    gate.set()
    return f"done {count}" if count >= 400 else f"stopped at {count}"
    """,
    full="limits",
    # Where memory ends between a thread's stack and its first object, `start` waits for ever.
    must=(REFUSED, TIMED_OUT),
)
deed(
    "torch-threads",
    "have torch start five hundred threads",
    """
    torch.set_num_threads(500)
    found = (torch.ones(600, 600) @ torch.ones(600, 600)).sum()
    return "computed"
    """,
    full="topology",
    must=(REFUSED, KILLED, TIMED_OUT),
)

# ---- files and output ------------------------------------------------------------------------

PLACE = """
def place():
    return os.getcwd() if os.access(".", os.W_OK) else FOLDER


def remove(names):
    for name in names:
        try:
            os.unlink(name)
        except OSError:
            pass
"""
deed(
    "large-file",
    "write one large file",
    """
    name = f"{place()}/large-{NONCE}"
    try:
        with open(name, "wb") as file:
            for _ in range(24):
                file.write(bytes(1 << 20))
        return "done"
    finally:
        remove([name])
    """,
    top=PLACE,
    full="limits",
    partial="landlock limits",
)
deed(
    "fill-scratch",
    "fill the disk with files of a permitted size",
    """
    names = [f"{place()}/fill-{NONCE}-{n}" for n in range(5)]
    try:
        for name in names:
            with open(name, "wb") as file:
                file.write(bytes(8 << 20))
        return "done"
    finally:
        remove(names)
    """,
    top=PLACE,
    full="namespaces scratch",
    partial="landlock",
)
deed(
    "many-files",
    "use up the file system's entries",
    """
    names = [f"{place()}/many-{NONCE}-{n}" for n in range(2200)]
    try:
        for name in names:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
        return "done"
    finally:
        remove(names)
    """,
    top=PLACE,
    full="namespaces scratch",
    partial="landlock",
)
deed(
    "descriptors",
    "use up descriptors",
    "kept = [os.dup(0) for _ in range(900)]\nreturn f'done {len(kept)}'",
    full="limits",
)
deed(
    "core-dump",
    "leave a core dump",
    """
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
    return "done"
    """,
    full="limits",
)
deed(
    "raise-limits",
    "raise its own limits",
    """
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard + (1 << 30), hard + (1 << 30)))
    return "done" if hard != resource.RLIM_INFINITY else "unlimited"
    """,
    full="limits kernel",
)
deed(
    "output-flood",
    "print 200 MB",
    """
    for _ in range(200):
        sys.stdout.write("x" * (1 << 20))
        sys.stderr.write("y" * 100)
    return "printed"
    """,
    full="topology",
    must=(REFUSED, TIMED_OUT),
)
deed(
    "output-threads",
    "print from many threads, and never stop",
    """
    data = b"z" * 65536
    def flood():
        while True:
            os.write(1, data)
    for _ in range(4):
        threading.Thread(target=flood, daemon=True).start()
    time.sleep(60)
    """,
    full="deadline",
    must=(TIMED_OUT,),
)
deed(
    "close-everything",
    "close every descriptor",
    "os.closerange(0, 256)\nreturn 'closed'",
    full="topology",
    must=(KILLED,),
)

# ---- crashes ---------------------------------------------------------------------------------

CRASHES = {
    "null": "ctypes.string_at(0)",
    "abort": "os.abort()",
    "exit": "os._exit(3)",
    "bytecode": "exec(attempt.__code__.replace(co_code=bytes([83, 255] * 50)))",
    "kill": "os.kill(os.getpid(), signal.SIGKILL)",
    "torch-memory": "torch.empty(1).as_strided((2,), (1 << 40,), 0).sum()",
    "thread-crash": "threading.Thread(target=ctypes.string_at, args=(0,)).start()\ntime.sleep(5)",
    "free": "LIBC.free(ctypes.c_void_p(id(None)))",
}
for name, how in CRASHES.items():
    deed(
        f"crash-{name}",
        f"crash: {name}",
        textwrap.dedent(how) + "\nreturn 'still here'",
        full="topology",
        must=(KILLED, REFUSED),
    )
