#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the image of the autograder.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
venv="$root/venv"

python=""
for version in 3.13 3.12 3.11; do
  if "python$version" -m ensurepip --version > /dev/null 2>&1; then
    python="python$version"
    break
  fi
done
if [ -z "$python" ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  for version in 3.12 3.11 3.13; do
    if apt-get install -y --no-install-recommends "python$version" "python$version-venv"; then
      python="python$version"
      break
    fi
  done
fi
if [ -z "$python" ]; then
  echo "No Python 3.11 to 3.13 here. Choose a newer Ubuntu for the autograder." >&2
  exit 1
fi

"$python" -m venv "$venv"
# PyTorch's own index of builds for CPUs: pip's usual one brings CUDA, several gigabytes.
"$venv/bin/pip" install --no-cache-dir 'torch>=2.6,<3' --index-url https://download.pytorch.org/whl/cpu
"$venv/bin/pip" install --no-cache-dir -r "$root/source/requirements.txt"

# Student code runs as nobody: it is to read neither the suites nor the reference.
chmod -R go= "$root/source"
# Say in the log of the build how submissions will be confined; end it if anything is missing.
cd "$root/source/course"
PYTHONPATH="$root/source/engine" PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" -m grader doctor
