#!/usr/bin/env bash
# PrairieLearn runs this for each submission, in a container of the question's image, and reads
# results/results.json afterwards. What is graded stands in info.json, behind the name of this file.
root="${GRADE_ROOT:-/grade}"
here="$root/serverFilesCourse/grader"
results="$root/results/results.json"

mkdir -p "$root/results"
# The first thing there is, should anything end what follows: it says that nothing was checked.
rm -rf "$results"
cp "$here/could_not_check.json" "$results"
# Student code runs as nobody: it is to read neither the suites nor the results.
chmod -R go= "$root/serverFilesCourse" "$root/results"

cd "$here/course"
export PYTHONPATH="$here/engine" PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
python3 -m grader ci "$root/student" --system prairielearn \
  --out "$root/results" --course "$here/course" "$@"
echo "grader ci ended with code $?"
# What results.json says is the result, whatever became of the grader.
exit 0
