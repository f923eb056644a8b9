"""Attacks on the jail: the network, other processes, new rights, files outside, other tasks.

Calls that nobody may make anyway are told by their error: the kernel's own says that they got so
far, EPERM or a kill that they did not. Signals are harmless ones, targets are planted.
"""

from __future__ import annotations

from tests.attack.attack import Catalogue, End, Family, Stops

CATALOGUE = Catalogue(Family.ESCAPE)
deed, points = CATALOGUE.deed, CATALOGUE.points
KILLED, REFUSED = End.KILLED, End.REFUSED
FILES: Stops = {"full": "namespaces", "partial": "landlock"}

# ---- network ---------------------------------------------------------------------------------

deed(
    "tcp",
    "connect to a service of this machine",
    "socket.create_connection(('127.0.0.1', TCP), 1).close()\nreturn 'done'",
    full="namespaces seccomp",
    partial="seccomp landlock",
)
deed(
    "udp",
    "send a datagram",
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"secret", ("127.0.0.1", UDP))
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "name-lookup",
    "ask a name server",
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect(("127.0.0.53", 53))
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "listen",
    "listen on a port",
    """
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
    return "done"
    """,
    full="seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "unix-socket",
    "talk to a service by its file",
    """
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(UNIX)
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "abstract-socket",
    "talk to a service by an abstract name",
    """
    with socket.socket(socket.AF_UNIX) as sock:
        sock.connect(ABSTRACT)
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
for name, arguments in {
    "netlink": "socket.AF_NETLINK, socket.SOCK_RAW, 0",
    "unix-datagram": "socket.AF_UNIX, socket.SOCK_DGRAM, 0",
    "ipv6": "socket.AF_INET6, socket.SOCK_DGRAM, 0",
}.items():
    deed(
        f"socket-{name}",
        f"open a socket of another kind: {name}",
        f"socket.socket({arguments}).close()\nreturn 'done'",
        full="seccomp",
    )
deed(
    "socket-raw",
    "open a raw socket",
    "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close()\nreturn 'done'",
    full="seccomp capabilities namespaces",
    root_only=True,
)
deed(
    "peer-of-connection",
    "take a handle on the judge from its own connection",
    """
    with socket.socket(fileno=os.dup(3)) as sock:
        pidfd = struct.unpack("i", sock.getsockopt(socket.SOL_SOCKET, 77, 4))[0]
    call("pidfd_send_signal", pidfd, 0, 0, 0)
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
    must=(REFUSED, KILLED),
)
deed(
    "peer-credentials",
    "learn the judge's number from its own connection",
    """
    with socket.socket(fileno=os.dup(3)) as sock:
        pid = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    return f"done {pid}" if pid else "no number"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)

# ---- programs --------------------------------------------------------------------------------

LOADER = """
def loader():
    known = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
    return next(path for path in known if os.path.exists(path))
"""
deed(
    "subprocess",
    "run a program",
    "import subprocess\nsubprocess.run([PYTHON, '-S', '-c', ''], check=True)\nreturn 'done'",
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "shell",
    "run a shell",
    "return 'done' if os.system('true') == 0 else 'refused'",
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "run-loader",
    "run the one program that is there: the loader of libraries",
    """
    import subprocess
    subprocess.run([loader(), "--version"], check=True, stdout=subprocess.DEVNULL)
    return "done"
    """,
    top=LOADER,
    full="seccomp landlock",
)
deed(
    "spawn",
    "run a program without a fork of its own",
    """
    pid = os.posix_spawn(loader(), [loader(), "--version"], {},
                         file_actions=[(os.POSIX_SPAWN_CLOSE, 1)])
    return "done" if os.waitpid(pid, 0)[1] >= 0 else ""
    """,
    top=LOADER,
    full="seccomp landlock",
)
deed(
    "become-another-program",
    "become a program, and send what it likes",
    """
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(loader(), [loader(), "--version"])
        finally:
            os._exit(1)
    return "done" if os.waitpid(pid, 0)[1] == 0 else "refused"
    """,
    top=LOADER,
    full="seccomp landlock",
)
deed(
    "own-library",
    "load a library that it wrote itself",
    """
    import _ctypes
    place = os.getcwd() if os.access(".", os.W_OK) else FOLDER
    name = f"{place}/own-{NONCE}.so"
    with open(name, "wb") as file:
        file.write(open(_ctypes.__file__, "rb").read())
    ctypes.CDLL(name)
    return "done"
    """,
    full="namespaces scratch",
    partial="landlock",
)

# ---- other processes -------------------------------------------------------------------------

deed("signal", "send a signal to another process", "os.kill(VICTIM, signal.SIGCONT)\nreturn 'done'",
     full="namespaces seccomp landlock", partial="seccomp landlock")  # fmt: skip
deed(
    "signal-grader",
    "send a signal to the grader",
    "os.kill(GRADER, signal.SIGCONT)\nreturn 'done'",
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "signal-zygote",
    "send a signal to the process that workers are forked from",
    "os.kill(os.getppid() or GRADER, signal.SIGCONT)\nreturn 'done'",
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "signal-with-value",
    "send a signal by another call",
    """
    info = ctypes.create_string_buffer(struct.pack("=iii", signal.SIGCONT, 0, -1) + bytes(116))
    call("rt_sigqueueinfo", VICTIM, signal.SIGCONT, info)
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "signal-handle",
    "send a signal by a handle",
    """
    fd = call("pidfd_open", VICTIM, 0)
    call("pidfd_send_signal", fd, signal.SIGCONT, 0, 0)
    return "done"
    """,
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "signal-by-descriptor",
    "have the kernel signal another process when a pipe is ready",
    """
    import fcntl
    reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETOWN, VICTIM)
    fcntl.fcntl(reader, 10, signal.SIGCONT)
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "signal-by-connection",
    "have the kernel signal the zygote when the judge writes",
    """
    import fcntl
    fcntl.fcntl(3, fcntl.F_SETOWN, os.getppid() or VICTIM)
    fcntl.fcntl(3, 10, signal.SIGCONT)
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "signal-by-timer",
    "have a timer signal another process",
    """
    event = ctypes.create_string_buffer(struct.pack("=Qiii", 0, signal.SIGCONT, 4, VICTIM) + bytes(44))
    timer = ctypes.c_int()
    call("timer_create", 1, event, ctypes.byref(timer))
    return "done"
    """,
    full="namespaces seccomp kernel",
    partial="seccomp kernel",
)
deed(
    "limits-of-zygote",
    "change the limits of the process that workers are forked from",
    """
    old = ctypes.create_string_buffer(16)
    call("prlimit64", os.getppid() or VICTIM, 7, 0, old)
    call("prlimit64", os.getppid() or VICTIM, 7, old, 0)
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "processor-of-another",
    "confine another process to a processor",
    """
    mask = ctypes.create_string_buffer(struct.pack("=Q", (1 << (os.cpu_count() or 1)) - 1))
    call("sched_setaffinity", VICTIM, 8, mask)
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "priority-of-another",
    "slow another process down",
    'call("setpriority", 0, VICTIM, 0)\nreturn "done"',
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "advise-another",
    "have another process's memory paged out",
    """
    fd = call("pidfd_open", VICTIM, 0)
    vector = (ctypes.c_void_p * 2)(4096, 4096)
    try:
        call("process_madvise", fd, vector, 1, 20, 0)
    except OSError as error:
        return "done" if error.errno not in (errno.EPERM, errno.EACCES) else "refused"
    return "done"
    """,
    full="namespaces seccomp landlock kernel",
    partial="seccomp landlock kernel",
)

# ---- new rights ------------------------------------------------------------------------------

NEWUSER, NEWNS = 0x10000000, 0x00020000
INSIDE = f"""
def inside():
    uid, gid = os.getuid(), os.getgid()
    if LIBC.unshare({NEWUSER | NEWNS}) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
"""
deed(
    "new-namespace",
    "be root in a namespace of its own",
    "inside()\nreturn 'done'",
    top=INSIDE,
    full="seccomp user",
    partial="seccomp",
    must=(KILLED,),
)
deed(
    "mount",
    "mount over its files, in a namespace of its own",
    """
    inside()
    if LIBC.mount(b"x", b"/", b"tmpfs", 0, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    return "done"
    """,
    top=INSIDE,
    full="seccomp landlock user",
    partial="seccomp landlock",
    must=(KILLED,),
)
deed(
    "bind",
    "make its read-only files writable again",
    """
    MS_REMOUNT, MS_BIND = 32, 4096
    inside()
    if LIBC.mount(b"x", b"/", None, MS_REMOUNT | MS_BIND, None) != 0:
        raise OSError(ctypes.get_errno(), "mount")
    return "done"
    """,
    top=INSIDE,
    full="seccomp landlock user kernel",
    partial="seccomp landlock kernel",
    must=(KILLED,),
)
deed(
    "chroot",
    "leave by a root of its own",
    """
    inside()
    os.chroot("/")
    os.chroot(".")
    return "done"
    """,
    top=INSIDE,
    full="seccomp user",
    partial="seccomp",
    must=(KILLED,),
)
deed(
    "unmount",
    "take away what hides the files beneath",
    """
    inside()
    if LIBC.umount2(b"/proc", 2) != 0 and ctypes.get_errno() == 1:
        raise OSError(1, "umount2")
    return "done"
    """,
    top=INSIDE,
    full="seccomp user",
    partial="seccomp",
    must=(KILLED,),
)
deed(
    "enter-namespace",
    "enter the namespaces of another process",
    """
    fd = call("pidfd_open", os.getpid(), 0)
    if LIBC.setns(fd, 0x10000000) != 0 and ctypes.get_errno() == 1:
        raise OSError(1, "setns")
    return "done"
    """,
    full="seccomp",
    must=(REFUSED, KILLED),
)
for name, arguments in {
    "bpf": '"bpf", 99, 0, 0',
    "perf_event_open": '"perf_event_open", 0, 0, -1, -1, 0',
    "io_uring_setup": '"io_uring_setup", 0, 0',
    "kexec_load": '"kexec_load", 0, 0, 0, 1 << 60',
    "init_module": '"init_module", 0, 0, 0',
    "keyctl": '"keyctl", 9999, 0, 0, 0, 0',
    "move_pages": '"move_pages", 0, 0, 0, 0, 0, 0',
    "userfaultfd": '"userfaultfd", 0x80001',
}.items():
    kernel = name in ("kexec_load", "init_module")
    deed(
        f"call-{name}",
        f"reach a part of the kernel that holes are found in: {name}",
        f"""
        try:
            call({arguments})
        except OSError as error:
            return "refused" if error.errno in (errno.EPERM, errno.ENOSYS) else "done"
        return "done"
        """,
        full="seccomp capabilities kernel" if kernel else "seccomp",
        must=(KILLED,),
    )
for name, arguments in {
    "personality": '"personality", 0xFFFFFFFF',
    "fsopen": '"fsopen", 0, 0',
    "open_tree": '"open_tree", -100, ctypes.c_char_p(b"/"), 0',
    "mq_open": '"mq_open", ctypes.c_char_p(b"x"), 0, 0, 0',
    "fanotify_init": '"fanotify_init", 1 << 30, 0',
    "seccomp": '"seccomp", 77, 0, 0',
}.items():
    deed(
        f"call-{name}",
        f"reach a call that no submission needs: {name}",
        f"""
        try:
            call({arguments})
        except OSError as error:
            return "refused" if error.errno in (errno.EPERM, errno.ENOSYS) else "done"
        return "done"
        """,
        full="seccomp kernel" if name in ("fsopen", "fanotify_init") else "seccomp",
    )
MACHINE = """
def run(code):
    import mmap
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(code)
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_long)(start)()
"""
deed(
    "old-entry",
    "call the kernel by its 32-bit entry, whose numbers are others",
    """
    # push rbx; mov eax, 20 (getpid there); int 0x80; pop rbx; ret
    run(bytes.fromhex("53b814000000cd805bc3"))
    return "done"
    """,
    top=MACHINE,
    full="seccomp",
    must=(KILLED,),
    x86_only=True,
)
deed(
    "x32-entry",
    "call the kernel under the numbers of another convention",
    "LIBC.syscall(ctypes.c_long(0x40000000 + 39))\nreturn 'done'",
    full="seccomp",
    must=(KILLED,),
    x86_only=True,
)
deed("other-user", "become another user", "os.setuid(0)\nreturn 'done'",
     full="seccomp capabilities user", partial="seccomp capabilities", root_only=True)  # fmt: skip
deed("device", "make a device", "os.mknod(f'{FOLDER}/dev-{NONCE}', 0o020600, 259)\n"
     "os.unlink(f'{FOLDER}/dev-{NONCE}')\nreturn 'done'",
     full="namespaces seccomp landlock capabilities", partial="seccomp landlock capabilities",
     root_only=True)  # fmt: skip
deed(
    "capability",
    "keep a right that it was forked with",
    """
    header = struct.pack("=Ii", 0x20080522, 0)
    data = ctypes.create_string_buffer(24)
    LIBC.syscall(125 if os.uname().machine == "x86_64" else 90, ctypes.c_char_p(header), data)
    held = struct.unpack("=6I", data.raw)
    return f"done {held}" if any(held) else "none"
    """,
    full="seccomp capabilities user",
    partial="seccomp capabilities",
    root_only=True,
)
deed(
    "dumpable",
    "let others look into it",
    "if LIBC.prctl(4, 1, 0, 0, 0) != 0:\n    raise OSError(ctypes.get_errno(), 'prctl')\nreturn 'done'",
    full="seccomp",
)
deed(
    "outlive",
    "outlive its parent",
    "if LIBC.prctl(1, 0, 0, 0, 0) != 0:\n    raise OSError(ctypes.get_errno(), 'prctl')\nreturn 'done'",
    full="seccomp",
)
deed("own-session", "leave its session", "os.setpgid(0, 0)\nos.setsid()\nreturn 'done'",
     full="seccomp kernel")  # fmt: skip

# ---- files outside ---------------------------------------------------------------------------

WRITES = {
    "new": ("open(f'{FOLDER}/new-{NONCE}', 'w')", "os.unlink(f'{FOLDER}/new-{NONCE}')"),
    "tmp": ("open(f'/tmp/new-{NONCE}', 'w')", "os.unlink(f'/tmp/new-{NONCE}')"),
    "shared-memory": ("open(f'/dev/shm/new-{NONCE}', 'w')", "os.unlink(f'/dev/shm/new-{NONCE}')"),
    "append": ("open(CANARY_FILE, 'a')", ""),
    "results": ("open(COURSE + '/results.json', 'w')", "os.unlink(COURSE + '/results.json')"),
    "startup": ("open(FOLDER + '/x.pth', 'w')", "os.unlink(FOLDER + '/x.pth')"),
    "terminal": ("os.write(os.open(TTY, os.O_WRONLY | os.O_NOCTTY), b'')", ""),
}
for name, (body, tidy) in WRITES.items():
    deed(
        f"write-{name}",
        f"write outside: {name}",
        f"{body}\ntry:\n    {tidy or 'pass'}\nexcept OSError:\n    pass\nreturn 'done'",
        **FILES,
    )
CHANGES = {
    "folder": "os.mkdir(f'{FOLDER}/d-{NONCE}')\nos.rmdir(f'{FOLDER}/d-{NONCE}')",
    "rename": "os.rename(CANARY_FILE, CANARY_FILE + '2')\nos.rename(CANARY_FILE + '2', CANARY_FILE)",
    "truncate": "os.truncate(CANARY_FILE, os.stat(CANARY_FILE).st_size)",
}
for name, body in CHANGES.items():
    deed(
        f"write-{name}",
        f"change what is outside: {name}",
        f"{body}\nreturn 'done'",
        full="namespaces",
        partial="seccomp landlock",
    )
deed(
    "write-results-everywhere",
    "write a result where autograders look for one",
    """
    made = []
    for folder in (FOLDER, os.path.dirname(SUITE), os.path.dirname(OTHER), "/tmp"):
        try:
            name = f"{folder}/results-{NONCE}.json"
            open(name, "w").write('{"score": 100}')
            made.append(name)
        except OSError:
            pass
    for name in made:
        try:
            os.unlink(name)
        except OSError:
            pass
    return "done" if made else "nothing"
    """,
    **FILES,
)
deed(
    "write-times",
    "change when a file of the course was changed",
    "os.utime(CANARY_FILE, (1, 1))\nreturn 'done'",
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "write-mode",
    "open a file to everybody",
    "os.chmod(CANARY_FILE, os.stat(CANARY_FILE).st_mode & 0o777)\nreturn 'done'",
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "write-attribute",
    "attach something to a file of the course",
    """
    path, name = ctypes.c_char_p(CANARY_FILE.encode()), ctypes.c_char_p(b"user.x")
    try:
        call("setxattr", path, name, ctypes.c_char_p(b"y"), 1, 0)
    except OSError as error:
        return "done" if error.errno == errno.EOPNOTSUPP else "refused"
    return "done"
    """,
    full="namespaces seccomp",
    partial="seccomp",
)
deed(
    "write-fifo",
    "leave a pipe that hangs whoever reads it",
    "os.mkfifo(f'{FOLDER}/fifo-{NONCE}')\nos.unlink(f'{FOLDER}/fifo-{NONCE}')\nreturn 'done'",
    full="namespaces seccomp landlock",
    partial="seccomp landlock",
)
deed(
    "write-library",
    "change the library that every worker shares",
    """
    import torch._C
    target = torch._C.__file__
    fd = os.open(target, os.O_RDWR)
    return "done"
    """,
    full="namespaces kernel",
    partial="landlock kernel",
)
deed(
    "shared-mapping",
    "write into memory that is shared with the zygote",
    """
    import mmap
    with open(os.__file__, "rb") as file:
        shared = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_SHARED, prot=3)
    return "done"
    """,
    full="kernel topology",
)

# ---- the next submission ---------------------------------------------------------------------

LEAVES = """
def kept():
    return [name for name in os.listdir(".") if name == "left-for-the-next"]


FOUND = kept()
"""
deed(
    "leave-file",
    "leave a file for the next worker",
    """
    if FOUND:
        return "done"
    try:
        open("left-for-the-next", "w").close()
    except OSError:
        pass
    return "left"
    """,
    top=LEAVES,
    full="topology",
)
deed(
    "leave-in-torch",
    "change torch for the next worker",
    """
    if getattr(torch, "left", False):
        return "done"
    torch.left = True
    torch.nn.Linear.forward = lambda self, x: x * 0
    torch.set_default_dtype(torch.float16)
    return "left"
    """,
    full="topology",
)
