"""Attacks on the rule that the work is one's own: torch's attention by ways that no text shows.

Every one returns right values. Without `operators` in the rubric nothing is counted underneath, and
each keeps the points for the rule: that is the ablation.
"""

from __future__ import annotations

from tests.attack.attack import Catalogue, Family

CATALOGUE = Catalogue(Family.FORGING)

SPELT = "'_'.join(['scaled', 'dot', 'product', 'attention'])"
FLASH = "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu"
MATH = "torch.ops.aten._scaled_dot_product_attention_math"
CALLED = "\n\ndef twice(x):\n    x = x[:, None]\n    return attend(x, x, x)[:, 0]\n"
HEAD = "import sys\nimport torch\nfrom torch import nn\n\n"


def own(id: str, aim: str, attend: str, more: dict[str, str | bytes] | None = None) -> None:
    CATALOGUE.points(id, aim, HEAD + attend + CALLED, by="operators", more=more)


own(
    "own-kernel",
    "call torch's attention by the name of its kernel",
    f"def attend(*qkv):\n    return {FLASH}(*qkv)[0]\n",
)
own(
    "own-exec",
    "call it from a text that is put together and run",
    f"SPACE = {{'F': nn.functional}}\nexec('attend = F.' + {SPELT}, SPACE)\n"
    "attend = SPACE['attend']\n",
)
own(
    "own-class-body",
    "have the body of a class set it on torch",
    f"class Setting:\n    torch.neatly = getattr(nn.functional, {SPELT})\n\n\n"
    "def attend(*qkv):\n    return torch.neatly(*qkv)\n",
)
own(
    "own-other-file",
    "import it from another file, under another name",
    "import neat\n\n\ndef attend(*qkv):\n    return getattr(neat, 'tidy')(*qkv)\n",
    {"neat.py": f"import torch\n\nglobals()['tidy'] = getattr(torch._C._nn, {SPELT})\n"},
)
own(
    "own-key",
    "call the kernel of one of its keys, past all others",
    f"def attend(*qkv):\n    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)\n"
    f"    return {FLASH}.default.redispatch(keys, *(one.detach() for one in qkv))[0]\n",
)
own(
    "own-composite",
    "call what it is composed of, by a key that is not the processor's",
    f"def attend(*qkv):\n    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradXLA)\n"
    f"    return {MATH}.default.redispatch(keys, *qkv)[0]\n",
)
own(
    "own-batched",
    "call it for each sample by vmap, which has a way of its own through torch",
    f"def attend(*qkv):\n    return torch.vmap(getattr(nn.functional, {SPELT}))(*qkv)\n",
)
own(
    "own-got-kernel",
    "ask torch for the kernel itself, and call that",
    "import torch.library\n\n\ndef attend(*qkv):\n"
    "    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)\n"
    "    name = 'aten::_scaled_dot_product_flash_' + 'attention_for_cpu'\n"
    "    kernel = torch.library.get_kernel(name, 'CPU')\n"
    "    return kernel.call_boxed(keys, *(one.detach() for one in qkv))[0]\n",
)
own(
    "own-replaced",
    "replace what counts by something that does not, and take that away again",
    "NAME = '_scaled_dot_product_flash_' + 'attention_for_cpu'\n"
    "import torch.library\nLIBRARY = torch.library.Library('aten', 'IMPL')\n"
    "PUT = LIBRARY.impl(NAME, lambda *a, **k: None, 'CPU', allow_override=True)\n"
    "GONE = LIBRARY._destroy()\n"
    f"\n\ndef attend(*qkv):\n    return {FLASH}(*qkv)[0]\n",
)
own(
    "own-frame",
    "take the kernel from the frame that an error leaves behind, and then call it uncounted",
    f"""FOUND = []


def find():
    x = torch.ones(2, 2)
    try:
        {FLASH}(x, x, x)
    except Exception as error:
        trace = error.__traceback__
        while trace is not None:
            FOUND.extend(trace.tb_frame.f_locals.values())
            trace = trace.tb_next


def attend(*qkv):
    find()
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    for one in FOUND:
        if "call_boxed" in repr(one):
            return one(keys, *(one.detach() for one in qkv))[0]
    return {FLASH}(*qkv)[0]
""",
)
own(
    "own-mode",
    "look at the stack from within an operation that torch's own code runs, and take what counts",
    f"""from torch.utils._python_dispatch import TorchDispatchMode

FOUND = []


class Looking(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        frame = sys._getframe()
        while frame is not None:
            FOUND.extend(frame.f_locals.values())
            frame = frame.f_back
        return func(*args, **(kwargs or {{}}))


def attend(*qkv):
    with Looking():
        {MATH}(*qkv)
    for one in FOUND:
        if type(one).__name__.startswith("c_ubyte"):
            value = {MATH}(*qkv)[0]
            one[:] = bytes(len(one))
            return value
    return {MATH}(*qkv)[0]
""",
)
own(
    "own-patched",
    "have the grader's own module count nothing",
    f"""import gc

for name, module in list(sys.modules.items()):
    if name.endswith("worker.kernels"):
        for function in ("_tell", "_run", "_note"):
            getattr(module, function).__code__ = (lambda *a, **k: False).__code__
        module._FRAMES = lambda depth: None
PATCHED = True


def attend(*qkv):
    return {FLASH}(*qkv)[0]
""",
)
own(
    "own-module",
    "use torch's module, which computes in Python when weights are asked for",
    """SPACE = {}
exec('from torch.nn import Multihead' + 'Attention as Own', SPACE)
EYE = torch.eye(4, dtype=torch.float64)


def attend(x, *_):
    own = SPACE['Own'](4, 1, bias=False, batch_first=True, dtype=x.dtype)
    own.in_proj_weight = nn.Parameter(EYE.to(x.dtype).repeat(3, 1))
    own.out_proj.weight = nn.Parameter(EYE.to(x.dtype))
    return own(*[x[:, 0]] * 3)[0][:, None]
""",
)
own(
    "own-hidden-inside",
    "call it in a derivative of one's own, so that no graph shows it",
    f"""class Own(torch.autograd.Function):
    @staticmethod
    def forward(context, *qkv):
        return {FLASH}(*qkv)[0]

    @staticmethod
    def backward(context, *gradients):
        return gradients * 3


attend = Own.apply
""",
)
