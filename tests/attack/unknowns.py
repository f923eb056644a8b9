"""Attacks on the grade itself: nobody gets a zero for what the grader says it could not check.

Each does one odd thing and is honest besides: what it earns by that it may keep. It would succeed
if a check ended as our own fault.
"""

from __future__ import annotations

from tests.attack.attack import STEM, Attack, Catalogue, End, Family

CATALOGUE = Catalogue(Family.FORGING)
MUST = (End.SUCCEEDED, End.WRONG, End.REFUSED, End.KILLED, End.MALFORMED, End.TIMED_OUT, End.ABSENT)
"""Everything but `End.OURS`."""
HONEST = """\
import torch
from torch import nn


class Odd(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size)

    def forward(self, x):
        y = self.inner(x)
        return y, y + x

    def each(self, x):
        return list(x)

    def doubled(self, x):
        return 2 * x

    def through(self, layer, x):
        return layer(x)
"""
SUITE = '''\
SECRET = {canary!r}


class TestOdd:
    def test_items(self, probe, expect):
        """It gives two tensors."""
        first, second = probe.module("Odd", 3)(probe.randn(2, 3))
        expect.floats(first, (2, 3))
        expect.floats(second, (2, 3))

    def test_each(self, probe, expect):
        """It takes a batch apart."""
        for row in probe.module("Odd", 3).each(probe.randn(2, 3)):
            expect.shape(row, (3,))

    def test_method(self, probe, expect):
        """It has a method of its own."""
        x = probe.randn(4)
        expect.close(probe.module("Odd", 3).doubled(x), 2 * x)

    def test_layers(self, student, expect, probe):
        """It calls layers that it is given."""
        x = probe.randn(2, 3)
        odd, layer = student.Odd(3), student.nn.Linear(3, 2).double()
        expect.shape(odd.through(layer, x), (2, 2))
        expect.true(len(layer.parameters()) == 2, observed="others", expected="two parameters")
        attention = student.nn.MultiheadAttention(4, 2, batch_first=True).double()
        expect.shape(attention(*[probe.randn(1, 3, 4)] * 3)[0], (1, 3, 4))

    def test_gradients(self, probe, expect):
        """Its gradients are right."""
        pair = probe.pair("Odd", 3)
        expect.gradients(pair.student, pair.reference, probe.randn(2, 3))

    def test_state(self, probe, expect):
        """A second one that loads the state of a first gives the same."""
        first, second = probe.module("Odd", 3), probe.module("Odd", 3)
        second.load(first.state())
        x = probe.randn(2, 3)
        expect.close(second(x)[0], first(x)[0])
'''


def odd(id: str, aim: str, *changes: tuple[str, str], top: str = "", by: str = "proof") -> None:
    """The honest submission with pieces of it replaced, and code above it."""
    source = HONEST
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    source = source.replace("class Odd", f"{top}\n\nclass Odd")
    files = {f"{STEM}.py": source}
    CATALOGUE.add(Attack(id, Family.FORGING, aim, files, MUST, (by,), (by,)))


INNER = "        self.inner = nn.Linear(size, size)\n"
FORWARD = "        return y, y + x\n"
DOUBLED = "    def doubled(self, x):\n        return 2 * x\n"

odd(
    "unknown-parameter",
    "have a parameter that is more than a frame of ours holds",
    (INNER, f"{INNER}        self.large = nn.Parameter(torch.zeros(20_000_000))\n"),
)
odd(
    "unknown-half",
    "have a parameter of 240 MB that takes four times as much to draw",
    (
        INNER,
        f"{INNER}        self.large = nn.Parameter(torch.zeros(120_000_000, dtype=torch.half))\n",
    ),
)
odd(
    "unknown-names",
    "have 4,000 parameters with names so long that our own message is too large",
    (
        INNER,
        f"{INNER}        for number in range(4000):\n"
        "            self.register_parameter(f'{number:0900}', nn.Parameter(torch.zeros(1)))\n",
    ),
)
odd(
    "unknown-empty",
    "have a parameter without numbers whose shape no tensor of ours can have",
    (INNER, f"{INNER}        self.empty = nn.Parameter(empty())\n"),
    top="""
def empty():
    return torch.zeros(0).as_strided((0, *[1 << 31] * 3), (1, 1, 1, 1))
""",
)
odd(
    "unknown-expanded",
    "give two bytes that are expanded to 127 million numbers",
    (FORWARD, "        return torch.zeros(1, dtype=torch.half).expand(127_000_000), y\n"),
    by="wire",
)
odd(
    "unknown-large-answer",
    "give more than a frame holds",
    (FORWARD, "        return torch.zeros(9_000_000, dtype=torch.double), y\n"),
    by="wire",
)
odd(
    "unknown-gradients",
    "give gradients on the meta device",
    (INNER, f"{INNER}        patch()\n"),
    top="""
def patch():
    whole = torch.autograd.grad
    def elsewhere(*args, **kwargs):
        return tuple(None if g is None else g.to("meta") for g in whole(*args, **kwargs))
    torch.autograd.grad = elsewhere
""",
)
odd(
    "unknown-method",
    "have a text where a method should be",
    (DOUBLED, "    doubled = 'a method'\n"),
)
odd(
    "unknown-items",
    "give a module where two tensors are expected",
    (FORWARD, "        return self\n"),
)
odd(
    "unknown-nothing",
    "give nothing to compare",
    ("        return list(x)\n", "        return []\n"),
)
odd(
    "unknown-layer",
    "replace a layer of torch's own that the check makes",
    (INNER, "        self.inner = Linear(size, size)\n"),
    top="Linear = nn.modules.linear.Linear\nnn.Linear = lambda *args: 'a layer'\n",
)
odd(
    "unknown-attention",
    "replace torch's own attention that the check makes",
    top="""
class Alike(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, *args):
        return torch.tensor(0.0)

nn.MultiheadAttention = Alike
""",
)
odd(
    "unknown-threads",
    "have twelve threads take its own processor time",
    (FORWARD, "        burn()\n"),
    top="""
import threading

def burn():
    x = torch.ones(300, 300)
    while True:
        x @ x

def start():
    for _ in range(12):
        threading.Thread(target=burn, daemon=True).start()
start()
""",
    by="deadline",
)
odd(
    "unknown-recursion",
    "recurse for ever in every call",
    (FORWARD, "        return bomb()\n"),
    top="""
def bomb():
    try:
        return bomb()
    except RecursionError:
        pass
    return bomb()
""",
    by="deadline",
)
