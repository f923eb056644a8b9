"""An image such as a CI system makes of a container, with what is on this machine in it.

A process in it sees the system's folders, one Python, and one folder under the name that it has
there, such as `/autograder`; nothing else of this machine.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from pathlib import Path

SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "usr", "etc", "dev", "proc")
_ENTER = """\
set -e
new="$1" folder="$2" name="$3"; shift 3
mount -t tmpfs -o mode=755 image "$new"
while [ "$1" != -- ]; do
  if [ -L "$1" ]; then cp -a "$1" "$new$1"; else mkdir -p "$new$1"; mount --rbind "$1" "$new$1"; fi
  shift
done
shift
mkdir -m 1777 "$new/tmp"; mkdir "$new$name" "$new/outside"
mount --bind "$folder" "$new$name"
cd "$new"; pivot_root . outside; cd "$name"
umount -l /outside
exec "$@"
"""


def in_image(folder: Path, name: str, command: list[str]) -> list[str]:
    """Return a command that runs another one in an image, where `folder` is called `name`.

    The image lasts as long as the command. Its root folder is mounted beside `folder`.
    """
    root = folder.with_name(f"{folder.name}-image")
    root.mkdir(exist_ok=True)
    there = [path for one in SYSTEM if (path := Path("/", one)).exists()]
    pythons = [Path(prefix) for prefix in dict.fromkeys((sys.prefix, sys.base_prefix))]
    mounted = [str(path) for path in (*there, *(one for one in pythons if not _is_in(one, there)))]
    words = ["unshare", "--mount", "--propagation", "private", "bash", "-c", _ENTER, "image"]
    return [*words, str(root), str(folder), name, *mounted, "--", *command]


def _is_in(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


@functools.cache
def makes_images() -> bool:
    """Tell whether this user may mount, in a namespace of its own."""
    if not shutil.which("unshare"):
        return False
    tried = ["unshare", "--mount", "--propagation", "private", "mount", "-t", "tmpfs", "x", "/mnt"]
    return subprocess.run(tried, capture_output=True).returncode == 0
