"""Attacks on points: a submission that can't do the work and wants to be told that it can.

The judge alone compares, in a process of its own: that is topology, and a plain pytest run in one
process shows what it is worth. Bytes on the worker's own connection are the wire's business.
"""

from __future__ import annotations

import textwrap

from tests.attack.attack import STEM, Catalogue, End, Family

CATALOGUE = Catalogue(Family.FORGING)
points, deed = CATALOGUE.points, CATALOGUE.deed

WRONG, REFUSED, KILLED, MALFORMED = End.WRONG, End.REFUSED, End.KILLED, End.MALFORMED
ANY = (WRONG, REFUSED, KILLED, MALFORMED)

# ---- tricks on a grader in the same process --------------------------------------------------

points(
    "patch-torch",
    "make every comparison of torch's come out equal",
    """
    import torch

    def yes(*args, **kwargs):
        return True

    class Never:
        def any(self):
            return False

    for name in ("allclose", "equal", "isclose"):
        setattr(torch, name, yes)
    torch.testing.assert_close = yes
    torch.Tensor.__gt__ = lambda self, other: Never()
    torch.Tensor.__sub__ = lambda self, other: self
    PATCHED = True

    def work(x):
        torch.Tensor.__gt__ = lambda self, other: Never()
        return x
    """,
    naive=True,
    must=(WRONG, REFUSED, MALFORMED, KILLED),
)
points(
    "patch-builtins",
    "replace what the worker itself encodes answers with",
    """
    import builtins, json

    def work(x):
        builtins.len = lambda *a: 0
        builtins.isinstance = lambda *a: True
        json.JSONEncoder.encode = lambda *a: '{"t": "passed"}'
        return x
    """,
    must=ANY,
)
points(
    "exit-at-import",
    "end the process with code 0 while it is imported",
    "ENDED = os._exit(0)\n\ndef work(x):\n    return x\n",
    naive=True,
    must=(End.ABSENT, WRONG, KILLED),
)
points("exit-in-call", "end the process with code 0 in a call",
       "def work(x):\n    os._exit(0)\n", naive=True, must=(KILLED,))  # fmt: skip
points(
    "exit-politely",
    "raise SystemExit with code 0",
    "def work(x):\n    sys.exit(0)\n",
    must=(REFUSED,),
)
points(
    "exit-later",
    "end with code 0 when the interpreter ends",
    """
    import atexit

    def work(x):
        atexit.register(os._exit, 0)
        return x
    """,
    naive=True,
)
points(
    "always-equal",
    "return an object that agrees with everything",
    """
    class Equal:
        def __getattr__(self, name):
            return self
        def __call__(self, *args, **kwargs):
            return self
        def __bool__(self):
            return False
        __sub__ = __rsub__ = __gt__ = __eq__ = __abs__ = __mul__ = lambda self, *a: self
        __hash__ = None

    def work(x):
        return Equal()
    """,
    naive=True,
)
points(
    "tensor-subclass",
    "return a tensor that answers for the operations on it",
    """
    class Agreeing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return torch.zeros(())

    def work(x):
        return x.as_subclass(Agreeing)
    """,
    naive=True,
    must=(WRONG, REFUSED),
)
points("nan", "return NaN, which is not greater than any tolerance",
       "def work(x):\n    return x * float('nan')\n", naive=True)  # fmt: skip
points("infinity", "return infinity", "def work(x):\n    return x * float('inf')\n")
points(
    "skip",
    "raise pytest's own skip",
    """
    def work(x):
        import _pytest.outcomes
        raise _pytest.outcomes.Skipped("not today")
    """,
    naive=True,
    must=(REFUSED,),
)
points(
    "unittest-skip",
    "raise an exception that test runners take for a skip",
    """
    import unittest

    def work(x):
        raise unittest.SkipTest("not today")
    """,
    naive=True,
    must=(REFUSED,),
)
points(
    "steal-from-frame",
    "take the expected answer from the caller's variables",
    """
    def work(x):
        frame = sys._getframe()
        while frame is not None:
            if "expected" in frame.f_locals:
                return frame.f_locals["expected"]
            frame = frame.f_back
        return x
    """,
    naive=True,
    must=ANY,
)
points(
    "steal-from-collector",
    "find the expected answer among all objects",
    """
    def work(x):
        for thing in gc.get_objects():
            if isinstance(thing, dict) and "expected" in thing:
                return thing["expected"]
        for thing in gc.get_objects():
            try:
                if torch.is_tensor(thing) and thing.shape == x.shape:
                    if torch.allclose(thing, 3 * x - 1):
                        return thing
            except Exception:
                pass
        return x
    """,
    must=ANY,
)
points(
    "call-reference",
    "call the reference",
    """
    def work(x):
        for name, module in list(sys.modules.items()):
            if name.startswith("reference"):
                return module.work(x)
        return x
    """,
    naive=True,
)
points(
    "rewrite-input",
    "change the input so that the expected answer is the one returned",
    """
    def work(x):
        x.fill_(0.5)
        return x.clone()
    """,
    naive=True,
)
points(
    "trace-caller",
    "change the caller's variables while it is traced",
    """
    def tracer(frame, event, arg):
        if "expected" in frame.f_locals and "found" in frame.f_locals:
            frame.f_locals["found"] = frame.f_locals["expected"]
        return tracer

    def work(x):
        sys.settrace(tracer)
        sys.setprofile(tracer)
        threading.settrace(tracer)
        sys.excepthook = lambda *a: os._exit(0)
        return x
    """,
    must=ANY,
)
points(
    "patch-pytest",
    "have pytest report every test as passed",
    """
    def work(x):
        import _pytest.reports
        original = _pytest.reports.TestReport.from_item_and_call.__func__

        def passing(cls, item, call):
            report = original(cls, item, call)
            report.outcome, report.longrepr = "passed", None
            return report

        _pytest.reports.TestReport.from_item_and_call = classmethod(passing)
        return x
    """,
    naive=True,
    must=(WRONG, REFUSED),
)
points(
    "conftest",
    "hand in a conftest.py that passes everything",
    "def work(x):\n    return x\n",
    more={
        "conftest.py": textwrap.dedent("""
            def pytest_pyfunc_call(pyfuncitem):
                return True
        """)
    },
    by="loader topology",
    naive=True,
)
points(
    "shadow-modules",
    "hand in a torch.py, a sitecustomize.py and a grader.py",
    "def work(x):\n    return x\n",
    more={
        name: "def allclose(*a, **k):\n    return True\n\nequal = allclose\n"
        for name in ("torch.py", "sitecustomize.py", "usercustomize.py", "grader.py", "json.py")
    },
    by="loader topology",
    must=ANY,
)
points(
    "fake-module",
    "put modules of its own in the place of the grader's",
    """
    class Fake:
        def __getattr__(self, name):
            return lambda *a, **k: True

    def work(x):
        for name in list(sys.modules):
            if name.startswith(("grader", "_pytest", "reference", "json")):
                sys.modules[name] = Fake()
        return x
    """,
)
points(
    "replay",
    "remember answers by the shape of the input",
    """
    SEEN = {}

    def work(x):
        return SEEN.setdefault(tuple(x.shape), x)
    """,
)
points(
    "pickled-payload",
    "return an object that runs code where it is unpickled",
    """
    class Payload:
        def __reduce__(self):
            return (os.system, ("true",))

    def work(x):
        return Payload()
    """,
)
points(
    "float-subclass",
    "return numbers that lie about themselves",
    """
    class Number(float):
        def __eq__(self, other):
            return True
        def hex(self):
            return "0x1p0"
        __hash__ = float.__hash__

    def work(x):
        return [Number(1.0)] * len(x)
    """,
)
points(
    "hostile-names",
    "return objects whose type has a hostile name",
    """
    Odd = type("A" * 100000 + "\\n::error::", (), {})

    def work(x):
        return Odd()
    """,
)
points(
    "hostile-type",
    "raise an exception that breaks whoever looks at it",
    """
    class Meta(type):
        @property
        def __name__(cls):
            raise RuntimeError
        def __instancecheck__(cls, other):
            return True

    class Bad(Exception, metaclass=Meta):
        def __str__(self):
            raise KeyboardInterrupt
        @property
        def __traceback__(self):
            raise MemoryError

    def work(x):
        raise Bad()
    """,
    must=ANY,
)
for name in ("KeyboardInterrupt", "GeneratorExit", "StopIteration", "BaseException", "MemoryError"):
    points(
        f"raise-{name.lower()}",
        f"raise {name} through the grader",
        f"def work(x):\n    raise {name}\n",
        must=(REFUSED,),
    )
for name, value in {
    "meta": "torch.empty(x.shape, device='meta', dtype=x.dtype)",
    "sparse": "x.to_sparse()",
    "complex": "x + 0j",
    "nested": "torch.nested.nested_tensor([x])",
    "quantised": "torch.quantize_per_tensor(x.float(), 0.1, 0, torch.qint8)",
    "expanded": "torch.zeros((), dtype=x.dtype).expand(x.shape)",
    "half": "x.half()",
    "empty": "x[:0]",
    "cycle": "(lambda r: (r.append(r), r)[1])([])",
    "deep": "__import__('functools').reduce(lambda a, _: [a], range(5000), 1)",
    "many-items": "[0.0] * 200000",
    "generator": "(i for i in range(3))",
    "huge-integer": "10 ** 5000",
    "huge-text": "'x' * (8 << 20)",
    "huge-tensor": "torch.zeros(200 << 20, dtype=torch.uint8)",
    "module": "torch.nn.Linear(3, 3)",
    "function": "work",
}.items():
    points(
        f"answer-{name}",
        f"answer with something else: {name}",
        f"def work(x):\n    return {value}\n",
        by="wire topology",
        must=(WRONG, REFUSED, MALFORMED, KILLED, End.TIMED_OUT),
    )

# ---- bytes on its own connection -------------------------------------------------------------

SAY = """
import json


def frame(meta, payload=b"", magic=b"GRW1", text=None, sizes=None):
    text = json.dumps(meta).encode() if text is None else text
    head = sizes or (len(text), len(payload))
    return struct.pack("<4sIQ", magic, *head) + text + payload


def say(data):
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(3, view):]
        except BlockingIOError:
            time.sleep(0.001)


def tensors(rows, storages, payload, **more):
    value = ["t", *(["T", n] for n in range(len(rows)))] if len(rows) != 1 else ["T", 0]
    meta = {"t": "ok", "value": value, "changed": [], "storages": storages, "tensors": rows, **more}
    return frame(meta, payload)


def one(dtype="float64", shape=(3,), stride=(1,), storage=0, offset=0, grad=0, **more):
    row = [dtype, list(shape), list(stride), storage, offset, grad]
    return tensors([row], [32], bytes(32), **more)

"""
"""In tier none and in a jail alike: the connection is descriptor 3."""


def wire(id: str, aim: str, data: str, *must: End) -> None:
    source = f"{SAY}\n\ndef work(x):\n    say({data})\n    return x\n"
    points(f"wire-{id}", aim, source, by="wire", must=must or (MALFORMED,))


wire("score", "send a score", 'frame({"t": "score", "points": 100})')
wire("passed", "send `passed`", 'frame({"t": "passed", "check": "t1.work/hidden/test_values"})')
wire(
    "graded",
    "send what a judge sends to the parent",
    'frame({"t": "graded", "observations": [{"outcome": "passed"}], "notes": []})',
)
wire("ready", "say again that it is ready, in a better tier",
     'frame({"t": "ready", "isolation": {"tier": "full"}})')  # fmt: skip
wire("garbage", "send noise", "os.urandom(1 << 16)")
wire("long-json", "announce 4 GiB of JSON", "frame({}, sizes=(0xFFFFFFFF, 0))")
wire("long-payload", "announce 16 EiB of tensors", "frame({}, sizes=(2, 0xFFFFFFFFFFFFFFFF))")
wire("deep-json", "nest JSON 100,000 deep", 'frame({}, text=b"[" * 100000)')
wire("long-number", "send a number of 9,000 digits",
     'frame({}, text=b\'{"t": "ok", "value": \' + b"9" * 9000 + b"}")')  # fmt: skip
wire("constants", "send NaN as JSON", 'frame({}, text=b\'{"t": "ok", "value": NaN}\')')
wire("not-an-object", "send a JSON list", "frame([])")
wire("bad-utf8", "send text in no encoding", 'frame({}, text=b\'{"t": "\\xff\\xfe"}\')')
wire("twice", "send the same key twice, the second time another type",
     'frame({}, text=b\'{"t": "ok", "value": 1, "value": {"passed": true}}\')')  # fmt: skip
wire("no-value", "reply without a value", 'frame({"t": "ok"})', WRONG)
wire("huge-shape", "send a shape of 2^80 elements", "one(shape=(1 << 40, 1 << 40), stride=(0, 0))")
wire("outside", "send a shape beyond its bytes", "one(shape=(1000,))")
wire("negative", "send negative strides", "one(stride=(-1,))")
wire("offset", "begin outside the storage", "one(offset=100)")
wire("storage", "name a storage that is not there", "one(storage=7)")
wire("dtype", "name a type that is not there", 'one(dtype="object")')
wire("bool", "send a truth value of 7",
     'tensors([["bool", [16], [1], 0, 0, 0]], [16], b"\\x07" * 16)')  # fmt: skip
wire("meta-shape", "send a meta tensor of 2^120 elements",
     "one(shape=(1 << 40,) * 3, stride=(0, 0, 0), storage=None)", MALFORMED, WRONG)  # fmt: skip
wire("no-elements", "send 2^80 rows of no elements",
     "one(shape=(0, 1 << 40, 1 << 40), stride=(1 << 40, 1 << 40, 1))", MALFORMED, WRONG)  # fmt: skip
wire(
    "expanded-many",
    "send 4,000 views of 256 MiB each over the same 32 bytes",
    'tensors([["float16", [1 << 27], [0], 0, 0, 0]] * 4000, [32], bytes(32))',
    MALFORMED,
    WRONG,
)
wire("nodes", "send a million values", 'frame({"t": "ok", "value": ["l", *[1] * 1000000]})')
wire("kind", "send a value of an unknown kind", 'frame({"t": "ok", "value": ["pickle", "x"]})')
wire("object", "refer to an object of the judge's", 'frame({"t": "ok", "value": ["H", 0]})')
wire("argument", "refer to an argument that was not passed",
     'frame({"t": "ok", "value": ["A", 99]})')  # fmt: skip
wire("changed", "say that inputs changed that were not there",
     'frame({"t": "ok", "value": 1, "changed": [0, 77]})')  # fmt: skip
wire("graph", "claim a graph of outputs that are not there",
     "one(graph=1, outputs=[0, 5])", MALFORMED, WRONG)  # fmt: skip
wire("graph-name", "claim a graph whose number is a text",
     'one(graph="x", outputs=[0])', MALFORMED, WRONG)  # fmt: skip
wire("call-reference", "have the judge call the reference",
     f'frame({{"t": "call", "target": ["N", "{STEM}", "work"], "args": ["t"], "kwargs": ["d", []]}})')  # fmt: skip
wire("call-lent", "call a function that the judge never lent",
     'frame({"t": "call", "target": ["H", 0], "args": ["t"], "kwargs": ["d", []]})')  # fmt: skip
wire("backward", "ask the judge for gradients",
     'frame({"t": "backward", "graph": 1, "gradients": []})')  # fmt: skip
wire("load", "have the judge load something", 'frame({"t": "load", "files": [["a.py", 1]]})')
wire("progress-odd", "report progress in odd types",
     'frame({"t": "progress", "path": {}, "index": "x"})')  # fmt: skip
wire("progress-flood", "report progress 20,000 times",
     f'frame({{"t": "progress", "path": "{STEM}.py", "index": 0}}) * 20000',
     MALFORMED, WRONG, End.TIMED_OUT, KILLED)  # fmt: skip
wire("raised", "report an exception with monstrous texts",
     'frame({"t": "raised", "type": "T" * 9999, "bases": ["B" * 999] * 999, "message": "M" * 99999,'
     ' "file": "F" * 9999, "line": 10 ** 400, "cell": 1, "own": True})', WRONG, REFUSED)  # fmt: skip
wire("close", "close the connection", "b'' if os.close(3) else b''", KILLED)
wire("half", "send half a frame and fall silent",
     'frame({"t": "ok"})[:10]) or time.sleep(30) or say(b""', End.TIMED_OUT)  # fmt: skip
wire("drip", "send a frame a byte at a time",
     'b"") or [(say(b"G" if i == 0 else b"R"), time.sleep(0.2)) for i in range(200)] or say(b""',
     MALFORMED, End.TIMED_OUT)  # fmt: skip
points(
    "wire-descriptors",
    "send descriptors along, a thousand times",
    SAY
    + textwrap.dedent("""
    def work(x):
        sock = socket.socket(fileno=os.dup(3))
        sock.setblocking(True)
        data = frame({"t": "progress", "path": "t1_arena.py", "index": 0})
        for byte in data * 10:
            socket.send_fds(sock, [bytes([byte])], [0] * 20)
        return x
    """),
    by="wire",
    must=ANY,
)
points(
    "wire-from-inside",
    "replace the worker's own way of answering",
    """
    def work(x):
        for thing in gc.get_objects():
            if type(thing).__name__ == "Peer":
                thing._answer = lambda *asked: ({"t": "passed", "points": 100}, None)
        return x
    """,
    by="wire topology",
    must=(WRONG, MALFORMED),
)
points(
    "wire-outcomes",
    "claim outcomes in the account of what was loaded",
    """
    def work(x):
        return x

    for thing in gc.get_objects():
        if type(thing).__name__ == "Peer":
            OPERATIONS = thing._operations
    FORGED = OPERATIONS.__setitem__("load", lambda message: {"report": {
        "modules": {"t1_arena": {"file": "t1_arena.py", "targets": {
            "work": {"kind": "passed", "stub": False, "points": 100}}}},
        "notes": [{"kind": "passed", "text": "all points"}], "files": {}}})
    """,
    by="wire",
    must=(WRONG, End.ABSENT),
)

# ---- modules ---------------------------------------------------------------------------------

LAYER = """
class Layer(torch.nn.Linear):
    def forward(self, x):
        return torch.zeros(len(x), self.out_features, dtype=x.dtype)


def builtins_of_worker():
    return sys.modules["grader.worker.modules"].BUILTINS


"""


def layer(id: str, aim: str, rest: str, *must: End) -> None:
    source = LAYER + textwrap.dedent(rest)
    points(f"layer-{id}", aim, source, by="wire topology", must=must or ANY)


def replaced(name: str, value: str) -> str:
    return f"""
class Layer(Layer):
    def __init__(self, *args):
        super().__init__(*args)
        builtins_of_worker()[{name!r}] = lambda *a: {value}
"""


layer("plain", "leave the work undone", "")
for name, value in {
    "state": "5",
    "parameters": "{'weight': torch.zeros(7), 'bias': torch.zeros(2)}",
    "buffers": "[1, 2, 3]",
    "prepare": "None",
}.items():
    layer(f"odd-{name}", f"answer oddly when asked for {name}", replaced(name, value))
layer(
    "many-parameters",
    "describe 5 TB of parameters for the judge to draw",
    """
    class Layer(Layer):
        def __init__(self, *args):
            super().__init__(*args)
            modules = sys.modules["grader.worker.modules"]
            rows = [["weight", "float32", [2, 3], True], ["bias", "float32", [2], True]]
            rows += [[f"p{n}", "float32", [1 << 26], True] for n in range(9000)]
            modules.describe = lambda m: {"kind": "module", "type": "Layer", "parameters": rows}
    """,
)
layer(
    "odd-gradients",
    "answer with gradients of another shape",
    """
    class Layer(Layer):
        def forward(self, x):
            sys.modules["grader.wire.graph"].KeptGraph.backward = (
                lambda self, gradients: tuple(torch.zeros(5) for _ in self._sources)
            )
            return super().forward(x) + self.weight.sum() + x.sum()
    """,
)
points(
    "gradient-bomb",
    "have the judge draw weights for a terabyte of outputs",
    """
    def work(x):
        return [(x.sum() * 1).expand(1 << 24) for _ in range(2000)]
    """,
    by="wire",
    must=ANY,
)
