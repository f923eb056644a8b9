"""`make fuzz`: the same properties with many more examples, until the time is up.

python -m tests.fuzz --seconds 600 --examples 2000 -k conversation
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROPERTIES = (HERE, ROOT / "tests" / "unit" / "report" / "test_sinks.py")


def main() -> int:
    """Runs round after round, each with other examples; 1 as soon as one of them fails."""
    options = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    options.add_argument("--seconds", type=float, default=300, help="how long to go on")
    options.add_argument("--examples", type=int, default=1000, help="of each property, a round")
    options.add_argument("-k", default="", help="only the properties with this in their name")
    chosen = options.parse_args()
    until, rounds = time.monotonic() + chosen.seconds, 0
    environment = {**os.environ, "GRADER_FUZZ_EXAMPLES": str(chosen.examples)}
    while time.monotonic() < until:
        rounds += 1
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            *map(str, PROPERTIES),
            "-k",
            chosen.k,
        ]
        done = subprocess.run(command, cwd=ROOT, env=environment)
        if done.returncode:
            print(f"round {rounds} failed; the example above is repeated by the next `make test`")
            return 1
    print(f"{rounds} rounds of {chosen.examples} examples a property, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
