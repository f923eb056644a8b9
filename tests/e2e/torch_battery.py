"""What a course may use of torch, numpy and the standard library, a function each.

Every one draws from a seed of its own and returns tensors or plain values, so that two processes
can be compared. Much of it is loaded only when it is first used: after the fork, in the jail.
"""

import torch
from torch import nn


def drawn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7), dtype=torch.float64)


def matrix_product():
    return drawn(160, 160) @ drawn(160, 160)


def encoder_forward_and_backward():
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).double()
    x = drawn(2, 5, 16).requires_grad_()
    out = model(x)
    out.square().sum().backward()
    return out, x.grad


def encoder_fast_path():
    torch.manual_seed(1)
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 1).double().eval()
    with torch.no_grad():
        return model(drawn(2, 5, 16))


def lstm():
    torch.manual_seed(1)
    out, _ = nn.LSTM(4, 6, num_layers=2, batch_first=True).double()(drawn(2, 7, 4))
    return out


def svd():
    u, s, v = torch.linalg.svd(drawn(12, 8), full_matrices=False)
    return s, (u * s) @ v


def eigenvalues():
    x = drawn(9, 9)
    return torch.linalg.eigvalsh(x + x.T), torch.linalg.inv(x), torch.linalg.qr(x)[1].abs()


def fourier():
    return torch.fft.irfft(torch.fft.rfft(drawn(4, 32))), torch.stft(
        drawn(256), 64, window=torch.ones(64, dtype=torch.float64), return_complex=True
    ).abs()


def vectorised():
    return torch.vmap(lambda row: row @ row)(drawn(6, 5))


def jacobian():
    from torch.func import grad, jacrev

    return jacrev(lambda x: x.sin() * x)(drawn(4)), grad(lambda x: x.pow(3).sum())(drawn(4))


def einsum():
    return torch.einsum("bthd,bshd->bhts", drawn(2, 5, 3, 4), drawn(2, 6, 3, 4))


def einops_in_all_forms():
    import einops
    from einops.layers.torch import Rearrange

    x = drawn(2, 6, 8)
    return (
        einops.rearrange(x, "b t (h d) -> b h t d", h=2),
        einops.reduce(x, "b t d -> b d", "mean"),
        einops.einsum(x, x, "b t d, b s d -> b t s"),
        Rearrange("b (t p) d -> b t (p d)", p=2)(x),
    )


@torch.jit.script
def scripted(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros_like(x)
    for i in range(3):
        total = total + x * i
    return total


def jit_script():
    return scripted(drawn(3, 3))


def jit_trace():
    return torch.jit.trace(lambda x: x.tanh() * 2, drawn(3))(drawn(3))


def two_threads():
    torch.set_num_threads(2)
    try:
        x = drawn(300, 300)
        return (x @ x).sum(), torch.softmax(drawn(64, 2048), -1).sum(0)
    finally:
        torch.set_num_threads(1)


def python_threads():
    import concurrent.futures

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda n: float(drawn(n).sum()), range(1, 9)))


def optimiser_steps():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2)).double()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, 5)
    losses = []
    for _ in range(4):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(drawn(10, 6)), torch.arange(10) % 2)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.detach())
    return losses


def meta_tensors():
    x = torch.empty(2, 3, 4, device="meta")
    mask = ~(torch.empty(3, 3, device="meta") > 0)
    out = torch.softmax((x @ x.transpose(1, 2)).masked_fill(mask, 0.0), -1)
    return list(out.shape), str(out.device)


def numpy_random():
    import numpy

    return torch.from_numpy(numpy.random.default_rng(3).normal(size=5))


def numpy_linear_algebra():
    import numpy

    x = drawn(5, 5).numpy()
    return torch.from_numpy(numpy.linalg.solve(x, x @ x)), torch.from_numpy(numpy.fft.fft(x).real)


def convolution():
    torch.manual_seed(1)
    return nn.Conv2d(3, 8, 4, stride=4).double()(drawn(2, 3, 16, 16))


def attention_of_torch():
    torch.manual_seed(1)
    q = drawn(2, 2, 5, 4)
    heads = nn.MultiheadAttention(8, 2, batch_first=True).double()
    x = drawn(2, 5, 8)
    return nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True), heads(x, x, x)[0]


def data_loader():
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(drawn(10, 2), torch.arange(10))
    return [batch.sum() for batch, _ in DataLoader(data, batch_size=4)]


def gradient_check():
    x = drawn(3, 3).requires_grad_()
    return torch.autograd.gradcheck(lambda x: (x @ x).sin(), (x,))


def parametrised():
    torch.manual_seed(1)
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 3).double())
    return layer(drawn(2, 3))


def symbols():
    import sympy

    x = sympy.Symbol("x")
    return str(sympy.integrate(sympy.sin(x) * x, x))


def standard_library():
    import bz2
    import csv
    import decimal
    import hashlib
    import io
    import json
    import lzma
    import sqlite3
    import statistics
    import textwrap
    import zlib
    from datetime import UTC, datetime
    from xml.etree import ElementTree

    rows = list(csv.reader(io.StringIO("a,b\n1,2\n")))
    with sqlite3.connect(":memory:") as base:
        total = base.execute("select sum(x) from (select 1 as x union select 2)").fetchone()[0]
    packed = [len(pack.compress(bytes(1000))) > 0 for pack in (zlib, bz2, lzma)]
    return [
        rows,
        total,
        packed,
        str(decimal.Decimal("0.1") * 3),
        hashlib.sha256(b"x").hexdigest(),
        json.dumps({"ä": 1}),
        statistics.median([1, 5, 2]),
        textwrap.shorten("one two three", 9),
        datetime.fromtimestamp(0, UTC).isoformat(),
        ElementTree.fromstring("<a><b/></a>")[0].tag,
        "ü".encode("latin-1").decode("cp1252"),
    ]


def event_loop():
    import asyncio

    async def answer():
        await asyncio.sleep(0)
        return 42

    return asyncio.run(answer())


def source_of_its_own_layers():
    import inspect

    return "def forward" in inspect.getsource(nn.Linear)
