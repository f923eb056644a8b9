"""`grader.check(…)` in a real kernel: one notebook, whose cells are looked at one by one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbclient.exceptions import CellExecutionError

from tests.support.students_course import students_course
from tools.notebooks import Notebook, hand_out, run

ROOT = Path(__file__).resolve().parents[2]

UNSCALED = """
import torch

def scaled_dot_product_attention(q, k, v, mask=None):
    print("inside")
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights
"""
CELLS = {
    "unscaled": UNSCALED,
    "settings": "torch.set_default_dtype(torch.float64); torch.manual_seed(3); "
    "before = torch.get_rng_state()",
    "check": "import grader\ngrader.check(scaled_dot_product_attention)",
    "after": "print(torch.equal(before, torch.get_rng_state()), torch.get_default_dtype(), "
    "torch.is_grad_enabled())",
    "foreign": "print([n for n in sys.modules if n.startswith(('reference', 'tests', 'pytest', "
    "'grader.judge'))])",
    "mended": UNSCALED.replace("k.transpose(-2, -1)", "k.transpose(-2, -1) / q.shape[-1] ** 0.5"),
    "by name": 'grader.check("a1.sdpa")',
    "raises": "def causal_mask(length, *args, **options):\n    x = 1\n    raise ValueError('why')",
    "everything": "grader.check()",
    "exits": "import os\n\ndef causal_mask(*args, **options):\n    os._exit(0)",
    "exits, checked": "grader.check(causal_mask)",
    "hangs": "def causal_mask(*args, **options):\n    while True:\n        pass",
    "hangs, checked": "grader.check(causal_mask)",
    "keeps": "calls = []\n\ndef causal_mask(q_len, *args, **options):\n    calls.append(1)\n"
    "    raise ValueError(len(calls))",
    "keeps, checked": "grader.check(causal_mask)",
    "kept": "print(len(calls))",
    "stranger": "def causal_masks(): ...\ngrader.check(causal_masks)",
    "elsewhere": 'grader.check("a1.sdpa", course="/")',
    "one of two": "def attention_scores(query, key):\n    return query\n\nkept = attention_scores"
    "\n\ndef attention_scores(query, key):\n    return query @ key.transpose(-2, -1)",
    "one of two, checked": "grader.check(attention_scores)",
    "the other one, checked": "grader.check(kept)",
    "both, checked": 'grader.check("a1.scores")',
    "in Korean": 'grader.check(attention_scores, lang="ko")',
    "in English again": "grader.check(attention_scores)",
    "in no language": 'grader.check(attention_scores, lang="kr")',
}


def notebook(cells: dict[str, str]) -> Notebook:
    empty: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": []}
    made = [
        {**empty, "id": f"cell-{n}", "execution_count": None, "source": source}
        for n, source in enumerate(["import sys", *cells.values()])
    ]
    return {**hand_out("a1_attention"), "cells": made}


def shown(cell: dict[str, Any], kind: str = "text/plain") -> str:
    """What a cell printed and displayed."""
    texts = [
        output.get("text") or output.get("data", {}).get(kind, "") for output in cell["outputs"]
    ]
    return "".join("".join(text) for text in texts)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return students_course(ROOT, tmp_path_factory.mktemp("live") / "course")


@pytest.fixture(scope="module")
def cells(course: Path) -> dict[str, dict[str, Any]]:
    ran = run(notebook(CELLS), course)
    return dict(zip(CELLS, ran["cells"][1:], strict=True))


def test_a_report_names_the_cause_and_the_cell(cells: dict[str, dict[str, Any]]) -> None:
    text = shown(cells["check"])

    assert "practice on the public criteria, and nothing is handed in" in text
    assert "why:  grader explain sdpa.unscaled" in text
    assert "likely at     In[2]:5" in text
    assert "next: open In[2]:5 (a1.sdpa, outputs)" in text
    assert "inside" not in text


def test_a_notebook_shows_it_as_html(cells: dict[str, dict[str, Any]]) -> None:
    html = shown(cells["check"], "text/html")

    assert html.startswith("<div ") and html.count("<html") == 0
    assert "Scores are not divided by √Dh." in html
    assert "In[2]:5" in html


def test_the_kernel_is_as_it_was(cells: dict[str, dict[str, Any]]) -> None:
    assert shown(cells["after"]) == "True torch.float64 True\n"


def test_no_suite_reference_or_judge_is_in_the_kernel(cells: dict[str, dict[str, Any]]) -> None:
    assert shown(cells["foreign"]) == "[]\n"


def test_a_definition_that_was_mended_passes(cells: dict[str, dict[str, Any]]) -> None:
    assert "a1.sdpa  ████████████████████      6 / 6" in shown(cells["by name"])


def test_everything_that_is_here_is_checked(cells: dict[str, dict[str, Any]]) -> None:
    lines = shown(cells["everything"]).split("\n")

    assert [line.split()[0] for line in lines if line.startswith("a")][1:] == [
        "a1.sdpa",
        "a2.causal_mask",
    ]
    assert "      observed  raised ValueError at In[9]:3: why" in lines
    assert "      where     In[9]:3" in lines


@pytest.mark.parametrize(
    ("cell", "observed"),
    [
        ("exits, checked", "the process ended by itself, with exit code 0 (os._exit)"),
        ("hangs, checked", "in the loop at In["),
    ],
)
def test_what_ends_or_hangs_a_process_costs_its_check_and_not_the_kernel(
    cells: dict[str, dict[str, Any]], cell: str, observed: str
) -> None:
    assert observed in shown(cells[cell])


def test_each_check_begins_with_what_the_kernel_holds(cells: dict[str, dict[str, Any]]) -> None:
    assert "raised ValueError at In[15]:5: 1\n" in shown(cells["keeps, checked"])
    assert "In[15]:5: 2\n" not in shown(cells["keeps, checked"])
    assert shown(cells["kept"]) == "0\n"


def test_what_cannot_be_checked_costs_a_sentence(cells: dict[str, dict[str, Any]]) -> None:
    assert shown(cells["stranger"]) == (
        "grader: no exercise asks for 'causal_masks' - did you mean 'causal_mask'?. "
        "Next: pass what you defined, or 'a1.scores'"
    )
    assert shown(cells["elsewhere"]) == (
        "grader: /: not inside a course; no rubric.yaml here or in any folder above. "
        'Next: say where the course is: grader.check(…, course="DIR")'
    )
    assert shown(cells["in no language"]) == (
        "grader: there is no language 'kr' - expected one of 'en', 'ko'"
    )


def test_what_was_passed_is_what_is_scored(cells: dict[str, dict[str, Any]]) -> None:
    right, wrong, both = (
        shown(cells[f"{name}, checked"]) for name in ("one of two", "the other one", "both")
    )

    assert "total  5 / 5 points" in right
    assert "a1.scores also asks for dot_product_loop" in right
    assert "dot_product_loop" not in both.partition("not attempted")[0]
    assert "not attempted" in both and "also asks" not in both
    assert "output has shape (2, 4, 6)" in wrong and "not attempted" not in wrong
    assert "next: open In[20]:1 (a1.scores, outputs)" in wrong


def test_a_report_speaks_the_language_that_was_asked_for(cells: dict[str, dict[str, Any]]) -> None:
    assert "총점  5 / 5점" in shown(cells["in Korean"])
    assert "total  5 / 5 points" in shown(cells["in English again"])


def test_a_fresh_hand_out_is_not_attempted_and_runs_to_its_end(course: Path) -> None:
    ran = run(hand_out("a1_attention"), course)

    checks = [cell for cell in ran["cells"] if cell["id"].startswith("check-")]
    assert [cell["id"] for cell in checks] == [
        "check-a1-scores",
        "check-a1-softmax",
        "check-a1-simple",
        "check-a1-sdpa",
        "check-a1-modules",
    ]
    assert all("not attempted" in shown(cell) for cell in checks)


def test_without_the_grader_a_hand_out_says_what_to_install(tmp_path: Path) -> None:
    hand_outs = hand_out("a1_attention")
    first = {**hand_outs["cells"][0], "cell_type": "code", "outputs": [], "execution_count": None}
    hide = {**first, "id": "hide", "source": "import sys; sys.modules['grader'] = None"}

    with pytest.raises(CellExecutionError, match="Install the course's package, once, by\n# `%pip"):
        run({**hand_outs, "cells": [hide, *hand_outs["cells"]]}, tmp_path)


INTERRUPTED = """
import os, signal, sys, threading, time, torch
import grader

def causal_mask(*args, **options):
    while True:
        pass

threading.Timer(1.0 if len(sys.argv) < 2 else 3.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    grader.check(causal_mask)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")

def causal_mask(q_len, k_len=None, **options):
    raise KeyError("again")

grader.check(causal_mask)
children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
print("children", len(children))
"""


def test_an_interrupt_ends_a_check_and_the_next_one_works(course: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "3"],
        cwd=course,
        capture_output=True,
        text=True,
        timeout=120,
    )

    lines = done.stdout.split("\n")
    assert (lines[0], done.stderr) == ("interrupted", "")
    assert "KeyError: 'again'" in done.stdout
    assert lines[-2] == "children 1"


def test_importing_the_package_imports_no_torch() -> None:
    source = (
        "import grader, sys, json; print(json.dumps(['torch' in sys.modules, len(sys.modules)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout)[0] is False
