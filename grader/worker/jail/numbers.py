"""System call numbers by name, for the calls that the jail makes, allows or kills.

From the kernel's own headers (`asm/unistd_64.h`, `asm-generic/unistd.h`); a test compares them
with the headers and with a maintained table. A call that an architecture lacks is not listed.
"""

from __future__ import annotations

_X86_64 = """
    read=0 write=1 open=2 close=3 stat=4 fstat=5 lstat=6 poll=7 lseek=8 mmap=9 mprotect=10
    munmap=11 brk=12 rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 ioctl=16 pread64=17
    pwrite64=18 readv=19 writev=20 access=21 pipe=22 select=23 sched_yield=24 mremap=25
    msync=26 madvise=28 dup=32 dup2=33 pause=34 nanosleep=35 getitimer=36 alarm=37
    setitimer=38 getpid=39 sendfile=40 sendto=44 recvfrom=45 sendmsg=46 recvmsg=47
    shutdown=48 getsockname=51 getpeername=52 socketpair=53 getsockopt=55 clone=56 exit=60
    wait4=61 kill=62 uname=63 fcntl=72 flock=73 fsync=74 fdatasync=75 truncate=76
    ftruncate=77 getdents=78 getcwd=79 chdir=80 fchdir=81 rename=82 mkdir=83 rmdir=84
    unlink=87 readlink=89 umask=95 gettimeofday=96 getrlimit=97 getrusage=98 sysinfo=99
    times=100 ptrace=101 getuid=102 getgid=104 geteuid=107 getegid=108 getppid=110
    getpgrp=111 getgroups=115 getresuid=118 getresgid=120 getpgid=121 getsid=124 capset=126
    rt_sigpending=127 rt_sigtimedwait=128 sigaltstack=131 statfs=137 fstatfs=138
    getpriority=140 sched_getparam=143 sched_getscheduler=145 pivot_root=155 prctl=157
    chroot=161 acct=163 settimeofday=164 mount=165 umount2=166 swapon=167 reboot=169
    iopl=172 ioperm=173 init_module=175 gettid=186 futex=202 sched_getaffinity=204
    getdents64=217 set_tid_address=218 restart_syscall=219 fadvise64=221 clock_settime=227
    clock_gettime=228 clock_getres=229 clock_nanosleep=230 exit_group=231 epoll_wait=232
    epoll_ctl=233 tgkill=234 get_mempolicy=239 kexec_load=246 add_key=248 request_key=249
    keyctl=250 migrate_pages=256 openat=257 mkdirat=258 newfstatat=262 unlinkat=263
    renameat=264 readlinkat=267 faccessat=269 pselect6=270 ppoll=271 unshare=272
    set_robust_list=273 move_pages=279 utimensat=280 epoll_pwait=281 fallocate=285
    eventfd2=290 epoll_create1=291 dup3=292 pipe2=293 preadv=295 pwritev=296
    perf_event_open=298 prlimit64=302 open_by_handle_at=304 setns=308 getcpu=309
    process_vm_readv=310 process_vm_writev=311 finit_module=313 renameat2=316 seccomp=317
    getrandom=318 bpf=321 userfaultfd=323 membarrier=324 copy_file_range=326 statx=332
    rseq=334 pidfd_send_signal=424 io_uring_setup=425 clone3=435 close_range=436
    pidfd_getfd=438 faccessat2=439
"""
_AARCH64 = """
    getcwd=17 eventfd2=19 epoll_create1=20 epoll_ctl=21 epoll_pwait=22 dup=23 dup3=24
    fcntl=25 ioctl=29 flock=32 mkdirat=34 unlinkat=35 renameat=38 umount2=39 mount=40
    pivot_root=41 statfs=43 fstatfs=44 truncate=45 ftruncate=46 fallocate=47 faccessat=48
    chdir=49 fchdir=50 chroot=51 openat=56 close=57 pipe2=59 getdents64=61 lseek=62 read=63
    write=64 readv=65 writev=66 pread64=67 pwrite64=68 preadv=69 pwritev=70 sendfile=71
    pselect6=72 ppoll=73 readlinkat=78 newfstatat=79 fstat=80 fsync=82 fdatasync=83
    utimensat=88 acct=89 capset=91 exit=93 exit_group=94 set_tid_address=96 unshare=97
    futex=98 set_robust_list=99 nanosleep=101 getitimer=102 setitimer=103 kexec_load=104
    init_module=105 clock_settime=112 clock_gettime=113 clock_getres=114 clock_nanosleep=115
    ptrace=117 sched_getscheduler=120 sched_getparam=121 sched_getaffinity=123
    sched_yield=124 restart_syscall=128 kill=129 tgkill=131 sigaltstack=132 rt_sigaction=134
    rt_sigprocmask=135 rt_sigpending=136 rt_sigtimedwait=137 rt_sigreturn=139
    getpriority=141 reboot=142 getresuid=148 getresgid=150 times=153 getpgid=155 getsid=156
    getgroups=158 uname=160 getrlimit=163 getrusage=165 umask=166 prctl=167 getcpu=168
    gettimeofday=169 settimeofday=170 getpid=172 getppid=173 getuid=174 geteuid=175
    getgid=176 getegid=177 gettid=178 sysinfo=179 socketpair=199 getsockname=204
    getpeername=205 sendto=206 recvfrom=207 getsockopt=209 shutdown=210 sendmsg=211
    recvmsg=212 brk=214 munmap=215 mremap=216 add_key=217 request_key=218 keyctl=219
    clone=220 mmap=222 fadvise64=223 swapon=224 mprotect=226 msync=227 madvise=233
    get_mempolicy=236 migrate_pages=238 move_pages=239 perf_event_open=241 wait4=260
    prlimit64=261 open_by_handle_at=265 setns=268 process_vm_readv=270 process_vm_writev=271
    finit_module=273 renameat2=276 seccomp=277 getrandom=278 bpf=280 userfaultfd=282
    membarrier=283 copy_file_range=285 statx=291 rseq=293 pidfd_send_signal=424
    io_uring_setup=425 clone3=435 close_range=436 pidfd_getfd=438 faccessat2=439
"""


def _table(text: str) -> dict[str, int]:
    return {name: int(number) for name, _, number in (row.partition("=") for row in text.split())}


NUMBERS = {"x86_64": _table(_X86_64), "aarch64": _table(_AARCH64)}
AUDIT_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kernel's number of each architecture's calling convention, which a filter can test."""
