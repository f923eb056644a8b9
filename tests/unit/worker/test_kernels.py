"""What runs is counted by whatever name it is called, computes what it did, and shows no way back.

In a process of its own: what is replaced stays replaced.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.course.course import find_course

ROOT = Path(__file__).resolve().parents[3]

SCRIPT = """
import gc, json, os, sys, traceback
import torch
from torch import nn
from torch.nn import functional as F
from grader.worker.kernels import watch
from grader.worker.operations import Operations
from grader.worker.tally import Tally, mapped, new_page

FLASH = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
MATH = torch.ops.aten._scaled_dot_product_attention_math
NAMES = {
    "torch.nn.functional.scaled_dot_product_attention": [
        "aten::scaled_dot_product_attention",
        "aten::_scaled_dot_product_attention_math",
        "aten::_scaled_dot_product_flash_attention_for_cpu",
        "aten::of_another_version",
    ],
    "torch.nn.MultiheadAttention": ["aten::_native_multi_head_attention"],
    "torch.nn.functional.softmax": [],
}
Q = torch.randn(2, 3, 5, 8, dtype=torch.float64, requires_grad=True)
PLAIN = Q.detach()
KEYS = torch._C.DispatchKeySet
attention = nn.MultiheadAttention(8, 2, batch_first=True).eval()
encoder = nn.TransformerEncoderLayer(8, 2, batch_first=True).eval()
WAYS = {
    "by name": lambda: F.scaled_dot_product_attention(Q, Q, Q),
    "with a mask": lambda: F.scaled_dot_product_attention(Q, Q, Q, is_causal=True),
    "with dropout": lambda: F.scaled_dot_product_attention(Q, Q, Q, dropout_p=0.5),
    "by kernel": lambda: FLASH(Q, Q, Q),
    "by composition": lambda: MATH(Q, Q, Q),
    "by a key": lambda: FLASH.default.redispatch(KEYS(torch._C.DispatchKey.CPU), *[PLAIN] * 3),
    "without gradients": lambda: torch.no_grad()(F.scaled_dot_product_attention)(Q, Q, Q),
    "for inference": lambda: torch.inference_mode()(F.scaled_dot_product_attention)(Q, Q, Q),
    "on meta": lambda: F.scaled_dot_product_attention(*[PLAIN.to("meta")] * 3),
    "in vmap": lambda: torch.vmap(F.scaled_dot_product_attention)(PLAIN, PLAIN, PLAIN),
    "in a module": lambda: attention(*[PLAIN[0].float()] * 3),
    "in an encoder": lambda: torch.no_grad()(encoder)(PLAIN[0].float()),
    "in Python": lambda: F.softmax(Q, -1),
    "not at all": lambda: (Q @ Q.transpose(-2, -1)).softmax(-1) @ Q,
}


def numbers(value):
    first = value[0] if isinstance(value, tuple) else value
    return None if first.is_meta else first.detach().double().flatten().tolist()


def gradient():
    return torch.autograd.grad(F.scaled_dot_product_attention(Q, Q, Q).square().sum(), Q)[0]


def answers():
    torch.manual_seed(0)
    return {name: numbers(way()) for name, way in WAYS.items()}


before, slope = answers(), gradient()
fd = new_page()
tally = Tally(fd)
watch(NAMES, mapped(fd), {"a1.py": b"", "a1.ipynb": b'"cell_type" "cell_type"'})
found = {"silent": [tally.events(), tally.news()]}
found["same"] = [name for name, value in answers().items() if value == before[name]]
found["slope"] = torch.equal(gradient(), slope)
tally.news()
found["counted"] = {}
for name, way in WAYS.items():
    way()
    found["counted"][name] = [list(NAMES)[number] for number, _ in tally.news()]
tally.falsify(True)
found["false"] = [name for name, value in answers().items() if value != before[name]]
tally.falsify(False)
tally.news()
work = "def work(F, q):\\n\\n    return F.scaled_dot_product_attention(q, q, q)"
space = {}
exec(compile(work, "a1.py", "exec"), space)
space["work"](F, Q)
found["place"] = tally.news()
with Operations([], lambda name: None).watching():
    pass
found["ours"] = tally.events()
PROBES
print(json.dumps(found))
"""
PROBES = """
left = []
try:
    FLASH(*[torch.ones(2)] * 3)
except Exception as error:
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame is not sys._getframe():
            left += [type(one).__name__ for one in frame.f_locals.values()]
found["left"] = left
gc.unfreeze()
found["listed"] = [
    repr(one)
    for one in gc.get_objects()
    if type(one).__name__.startswith(("c_ubyte_Array", "SafeKernel", "_SafeKernel"))
    or (type(one).__name__ == "partial" and "_run" in repr(one.func))
]
found["reached"] = tally.events()
"""


@functools.cache
def found() -> Any:
    script = SCRIPT.replace("PROBES", PROBES)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


ATTEND, MODULE = "torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention"


def test_to_count_changes_no_answer() -> None:
    assert set(found()["same"]) == set(found()["counted"])
    assert found()["slope"]
    assert found()["silent"] == [[], []]


@pytest.mark.parametrize(
    ("way", "names"),
    [
        ("by name", [ATTEND]),
        ("with a mask", [ATTEND]),
        ("with dropout", [ATTEND]),
        ("by kernel", [ATTEND]),
        ("by composition", [ATTEND]),
        ("by a key", [ATTEND]),
        ("without gradients", [ATTEND]),
        ("for inference", [ATTEND]),
        ("on meta", [ATTEND]),
        ("in vmap", [ATTEND]),
        ("in an encoder", [MODULE]),
        ("in Python", ["torch.nn.functional.softmax"]),
        ("not at all", []),
    ],
)
def test_what_runs_is_counted(way: str, names: list[str]) -> None:
    assert found()["counted"][way] == names


def test_a_module_that_computes_in_python_is_counted() -> None:
    assert MODULE in found()["counted"]["in a module"]


def test_on_demand_what_is_counted_answers_wrongly_and_nothing_else() -> None:
    told = {name for name, names in found()["counted"].items() if names} - {"on meta"}
    assert set(found()["false"]) == told


def test_the_line_that_led_to_it_is_given() -> None:
    (row,) = found()["place"]
    assert row[1][1:] == [1, 0, 3]


def test_no_frame_and_no_list_of_objects_leads_to_what_counts() -> None:
    allowed = {
        "method_descriptor",
        "DispatchKeySet",
        "tuple",
        "dict",
        "bool",
        "list",
        "OpOverloadPacket",
    }
    assert set(found()["left"]) <= allowed
    assert found()["listed"] == []


def test_who_lists_objects_is_noted_and_our_own_hook_is_not() -> None:
    assert found()["ours"] == []
    assert found()["reached"] == [4]


def test_every_operator_of_the_course_exists_here() -> None:
    listed = [name for names in find_course(ROOT).rubric.operators.values() for name in names]
    assert set(listed) <= set(torch._C._dispatch_get_all_op_names())
    assert len(listed) >= 5
