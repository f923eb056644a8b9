"""Attacks on secrets: suites, reference, keys, other submissions, and the machine around them.

`namespaces` stop them in a full jail because what they name is not there.
"""

from __future__ import annotations

from tests.attack.attack import Catalogue, End, Family, Stops

CATALOGUE = Catalogue(Family.SECRETS)
deed, points = CATALOGUE.deed, CATALOGUE.points

FILES: Stops = {"full": "namespaces", "partial": "landlock"}
"""Opening a file by its name."""
LEAKS = ("partial",)
"""Metadata: Landlock does not cover it."""

# ---- files by name ---------------------------------------------------------------------------

deed("open-suite", "read the hidden suite", "return 'done ' + open(SUITE).read()", **FILES)
deed("open-reference", "read the reference", "return 'done ' + open(REFERENCE).read()", **FILES)
deed("open-rubric", "read the course's key", "return 'done ' + open(RUBRIC).read()", **FILES)
deed("open-other", "read another submission", "return 'done ' + open(OTHER).read()", **FILES)
deed(
    "open-shared-memory",
    "read shared memory that is a file",
    "return 'done ' + open(SHARED_FILE).read()",
    **FILES,
)
deed(
    "open-raw",
    "read a suite by the bare system call",
    """
    fd = call("openat", -100, ctypes.c_char_p(SUITE.encode()), 0)
    return "done " + os.read(fd, 400).decode()
    """,
    **FILES,
)
deed(
    "openat2",
    "open by a newer call that a filter may have forgotten",
    """
    how = struct.pack("=QQQ", 0, 0, 0)
    fd = call("openat2", -100, ctypes.c_char_p(SUITE.encode()), ctypes.c_char_p(how), len(how))
    return "done " + os.read(fd, 400).decode()
    """,
    full="namespaces seccomp",
    partial="landlock seccomp",
)
deed(
    "open-path-only",
    "open without reading, and read through that descriptor",
    """
    fd = os.open(SUITE, os.O_PATH)
    return "done " + open(f"/proc/self/fd/{fd}").read()
    """,
    **FILES,
)
deed(
    "dot-dot",
    "climb out of the current folder",
    "return 'done ' + open('../' * 12 + SUITE.lstrip('/')).read()",
    **FILES,
)
deed(
    "proc-root",
    "go by the root of another process",
    "return 'done ' + open(f'/proc/{VICTIM}/root{SUITE}').read()",
    full="namespaces",
    partial="landlock",
)
deed(
    "stack-descriptors",
    "climb out of the folders that torch is imported from",
    """
    for fd in range(4, 128):
        try:
            inner = os.open("../" * 12 + SUITE.lstrip("/"), os.O_RDONLY, dir_fd=fd)
        except OSError:
            continue
        return "done " + os.read(inner, 400).decode()
    """,
    **FILES,
)
deed(
    "symlink-to-suite",
    "read through a link of its own",
    """
    for place in (os.getcwd(), FOLDER):
        try:
            os.symlink(SUITE, place + f"/link-{NONCE}")
        except OSError:
            continue
        try:
            return "done " + open(place + f"/link-{NONCE}").read()
        finally:
            os.unlink(place + f"/link-{NONCE}")
    """,
    full="namespaces seccomp",
    partial="landlock seccomp",
)
deed(
    "hard-link-to-suite",
    "give a secret file a second name",
    """
    os.link(SUITE, FOLDER + f"/hard-{NONCE}")
    os.unlink(FOLDER + f"/hard-{NONCE}")
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="landlock seccomp",
)
deed(
    "handle",
    "open by a file handle, past every path",
    """
    handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    path = ctypes.c_char_p(SUITE.encode())
    call("name_to_handle_at", -100, path, handle, ctypes.byref(mount), 0)
    folder = os.open(FOLDER, os.O_RDONLY)
    fd = call("open_by_handle_at", folder, handle, 0)
    return "done " + os.read(fd, 400).decode()
    """,
    full="namespaces seccomp landlock capabilities",
    partial="seccomp landlock capabilities",
    root_only=True,
)
deed(
    "map-suite",
    "map a secret file into memory",
    """
    import mmap

    with open(SUITE, "rb") as file:
        return "done " + mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:400].decode()
    """,
    **FILES,
)
deed(
    "compile-suite",
    "import the suite as a module",
    """
    import importlib.util

    spec = importlib.util.spec_from_file_location("stolen", SUITE)
    return "done " + spec.loader.get_source("stolen")
    """,
    **FILES,
)
deed(
    "torch-loads-file",
    "have torch read the file",
    """
    import torch

    storage = torch.UntypedStorage.from_file(SUITE, False, 300)
    return "done " + bytes(storage.tolist()).decode()
    """,
    **FILES,
)

# ---- folders ---------------------------------------------------------------------------------

deed("list-course", "list the course", "return f'done {os.listdir(COURSE)}'", **FILES)
deed(
    "list-tmp",
    "list what others keep in /tmp",
    "return f'done {len(os.listdir(\"/tmp\"))}'",
    **FILES,
)
deed(
    "walk",
    "walk to the suites",
    """
    for folder, _, names in os.walk(COURSE):
        if "test_work.py" in names:
            return f"done {folder}"
    """,
    **FILES,
)
deed(
    "glob",
    "guess the names of suites",
    """
    import glob

    found = glob.glob(COURSE + "/tests/**/test_*.py", recursive=True)
    return "done" if found else "empty"
    """,
    **FILES,
)
deed(
    "find-grader",
    "find the grader beside torch",
    """
    for folder in [path for path in sys.path if os.path.isdir(path + "/torch")]:
        if {"pytest", "rich", "click"} & set(os.listdir(folder)):
            return "done"
    """,
    **FILES,
)
deed(
    "installed-packages",
    "learn the names of what is installed beside torch",
    """
    import importlib.metadata

    found = list(importlib.metadata.distributions())
    return f"done {len(found)}" if found else "empty"
    """,
    full="namespaces",
    partial="",
    leaks=LEAKS,
)

# ---- metadata, which partial does not hide ---------------------------------------------------

deed("stat", "ask for the size of a suite", "return f'done {os.stat(SUITE).st_size}'",
     full="namespaces", partial="", leaks=LEAKS)  # fmt: skip
deed("statx-link", "ask whether a course exists", "return 'done' if os.path.lexists(COURSE) else ''",
     full="namespaces", partial="", leaks=LEAKS)  # fmt: skip
deed("access", "ask whether a suite may be read", "return 'done' if os.access(SUITE, 4) else ''",
     full="namespaces", partial="", leaks=LEAKS)  # fmt: skip
deed("enter-course", "go into the course's folder", "os.chdir(COURSE)\nos.chdir('/')\nreturn 'done'",
     full="namespaces", partial="", leaks=LEAKS)  # fmt: skip
deed("statfs", "ask about the file system of the course",
     "return f'done {os.statvfs(COURSE).f_bsize}'",
     full="namespaces", partial="", leaks=LEAKS)  # fmt: skip
deed("process-exists", "ask whether a process exists",
     "return 'done' if os.path.exists(f'/proc/{VICTIM}') else ''",
     full="namespaces", partial="", leaks=LEAKS)  # fmt: skip
deed("process-group", "ask for the group of a process", "return f'done {os.getpgid(VICTIM)}'",
     full="namespaces", partial="", leaks=LEAKS)  # fmt: skip
deed(
    "attributes",
    "read extended attributes of a suite",
    """
    buffer = ctypes.create_string_buffer(64)
    try:
        call("getxattr", ctypes.c_char_p(SUITE.encode()), ctypes.c_char_p(b"user.a"), buffer, 64)
    except OSError as error:
        return "done" if error.errno in (errno.ENODATA, errno.EOPNOTSUPP) else "refused"
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "watch-suite",
    "be told when a suite is read",
    """
    fd = call("inotify_init1", 0)
    call("inotify_add_watch", fd, ctypes.c_char_p(SUITE.encode()), 1)
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)

# ---- other processes -------------------------------------------------------------------------

for name in ("environ", "cmdline", "maps", "mem", "stack", "fd"):
    deed(
        f"proc-{name}",
        f"read /proc/PID/{name} of another process",
        f"""
        path = f"/proc/{{VICTIM}}/{name}"
        if "{name}" == "fd":
            return f"done {{os.listdir(path)}}"
        fd = os.open(path, os.O_RDONLY)
        if "{name}" == "mem":
            return "done"
        return f"done {{os.read(fd, 64)}}"
        """,
        full="namespaces kernel" if name == "stack" else "namespaces",
        partial="landlock kernel" if name == "stack" else "landlock",
    )
deed(
    "read-memory",
    "copy another process's memory",
    """
    buffer = ctypes.create_string_buffer(8)
    local, remote = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8), (ctypes.c_void_p * 2)(4096, 8)
    try:
        call("process_vm_readv", VICTIM, local, 1, remote, 1, 0)
    except OSError as error:
        return "done" if error.errno == errno.EFAULT else "refused"
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
    must=(End.KILLED,),
)
deed(
    "trace",
    "attach to another process as a debugger",
    """
    call("ptrace", 0x4206, VICTIM, 0, 0)  # seize, which does not stop it
    call("ptrace", 17, VICTIM, 0, 0) if False else None
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
    must=(End.KILLED,),
)
deed(
    "trace-zygote",
    "attach to the process that the next submission is forked from",
    """
    if os.getppid() == 0:
        call("ptrace", 0x4206, 1, 0, 0)
    call("ptrace", 0x4206, os.getppid(), 0, 0)
    return "done"
    """,
    full="namespaces seccomp landlock undumpable topology",
    partial="seccomp landlock undumpable topology",
    must=(End.KILLED,),
)
deed(
    "descriptor-of-another",
    "take a descriptor out of another process",
    """
    fd = call("pidfd_open", VICTIM, 0)
    call("pidfd_getfd", fd, 0, 0)
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
    must=(End.REFUSED, End.KILLED),
)
deed(
    "take-descriptor",
    "take a descriptor by the call that ends a process here",
    """
    fd = os.open("/dev/null", os.O_RDONLY)
    try:
        call("pidfd_getfd", fd, 0, 0)
    except OSError as error:
        return "done" if error.errno == errno.EBADF else "refused"
    """,
    full="seccomp",
    must=(End.KILLED,),
)
deed(
    "compare-processes",
    "learn of another process by comparing kernel objects",
    """
    call("kcmp", os.getpid(), VICTIM, 1, 0, 0)
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "shared-segment",
    "read a System V segment of another process",
    """
    number = LIBC.shmget(SHARED_KEY, 0, 0)
    if number < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    LIBC.shmat.restype = ctypes.c_void_p
    place = LIBC.shmat(number, None, 0o10000)
    return "done " + ctypes.string_at(place, 40).decode()
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "keyring",
    "keep something in a key ring for the next submission",
    """
    text = ctypes.c_char_p(NONCE.encode())
    call("add_key", ctypes.c_char_p(b"user"), text, text, len(NONCE), -2)
    return "done"
    """,
    full="seccomp",
    must=(End.KILLED,),
)

# ---- its own process -------------------------------------------------------------------------

SEARCH = """
import re

PATTERN = re.compile(b"CANARY" + b"(suite|reference|key|deed|public|environment)[0-9a-f]{24}")


def seen(data):
    return PATTERN.search(data) is not None
"""
deed(
    "own-heap",
    "search its own memory for what its ancestors held",
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    ends = [LIBC.sbrk(0) & ~4095, *(id(object()) & ~4095 for _ in range(50))]
    for end in set(ends):
        for page in range(end - (4096 << 11), end + (4096 << 4), 4096):
            if LIBC.write(writer, ctypes.c_void_p(page), 4096) == 4096:
                if seen(os.read(reader, 4096)):
                    return "done"
    return "empty"
    """,
    top=SEARCH + "LIBC = ctypes.CDLL(None, use_errno=True)\nLIBC.sbrk.restype = ctypes.c_ssize_t\n",
    full="topology",
    naive=True,
)
deed(
    "own-objects",
    "search every object that Python knows",
    """
    waiting, known = gc.get_objects(), set()
    for depth in range(3):
        for thing in waiting:
            if isinstance(thing, (str, bytes)):
                data = thing if isinstance(thing, bytes) else thing.encode("utf-8", "replace")
                if seen(data):
                    return "done"
        waiting = [x for x in gc.get_referents(*waiting) if id(x) not in known]
        known |= set(map(id, waiting))
    return "empty"
    """,
    top=SEARCH,
    full="topology",
    naive=True,
)
deed(
    "own-frames",
    "search the variables of all that called it",
    """
    frame = sys._getframe()
    while frame is not None:
        if seen(repr((frame.f_locals, list(frame.f_globals))).encode()):
            return "done"
        frame = frame.f_back
    return "empty"
    """,
    top=SEARCH,
    full="topology",
)
deed(
    "own-environment",
    "read the environment, Python's and the C library's",
    """
    data = repr(dict(os.environ)).encode()
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(LIBC, "environ")
    index = 0
    while environ and environ[index]:
        data += environ[index]
        index += 1
    return "done" if seen(data) or b"GRADER_COURSE" in data else "empty"
    """,
    top=SEARCH,
    full="topology",
    naive=True,
)
deed(
    "own-descriptors",
    "read what is open in its own process",
    """
    for fd in range(4, 256):
        try:
            data = os.pread(fd, 1 << 16, 0)
        except OSError:
            continue
        return f"done {fd} {data[:40]}"
    """,
    full="topology",
    naive=True,
)
deed(
    "own-sources",
    "search sources that were kept for tracebacks",
    """
    import linecache

    text = repr(sys.argv) + repr(sys.orig_argv) + repr(sys.path)
    return "done" if seen(repr(linecache.cache).encode()) or COURSE in text else "empty"
    """,
    top=SEARCH,
    full="topology",
)
deed(
    "import-reference",
    "import the reference, the judge and the suite",
    """
    import importlib

    for name in ("reference.t1_arena", "grader.judge.main", "grader.course.course", "test_work"):
        try:
            return f"done {importlib.import_module(name).__name__}"
        except ImportError:
            pass
    """,
    full="topology",
)
deed(
    "inherited-generator",
    "predict the judge's random numbers from the state it was forked with",
    """
    import torch

    return "done" if torch.initial_seed() == 67280421310721 else "another"
    """,
    full="topology",
)
points(
    "freed-memory",
    "find the expected answer in memory that was freed",
    """
    import torch

    def work(x):
        wanted = [torch.empty_like(x) for _ in range(64)]
        for found in wanted:
            if torch.allclose(found, x * 3) or torch.allclose(found, x * 3 - 1):
                return found - 1 if torch.allclose(found, x * 3) else found
        return wanted[0] * 0
    """,
)
