"""What is told of mistakes that several at once hide from the list: what their answers show."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.course import find_course
from grader.engine.engine import Engine, Options
from grader.submission.submission import Submission, digest_of
from tests.support import busy

pytestmark = pytest.mark.usefixtures("warm_nursery")

ROOT = Path(__file__).resolve().parents[2]
PACKED = """
import torch
from torch import nn


class PackedMultiHeadAttention(nn.Module):
    def __init__(self, emb_size, num_heads, dropout=0.0):
        super().__init__()
        assert emb_size % num_heads == 0, "no multiple"
        self.h = num_heads
        self.qkv, self.projection = nn.Linear(emb_size, 3 * emb_size), nn.Linear(emb_size, emb_size)

    def forward(self, x, mask=None):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-2, -1) / (D // self.h) ** 0.5
        HIDE
        return self.projection((s.softmax(-1) @ v).transpose(1, 2).reshape(B, T, D))
"""
BUILT_IN = "s = s.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf)"
AS_IT_COMES = "s = s if mask is None else s.masked_fill(~mask, torch.finfo(s.dtype).min)"
VIT = """
import torch
from torch import nn


def patchify(images, patch_size):
    B, C, H, W = images.shape
    assert H == W, "square images only"
    n = H // patch_size
    if n * patch_size != H:
        raise ValueError(f"{H} is no multiple of {patch_size}")
    cut = images.unfold(2, patch_size, patch_size).unfold(3, patch_size, patch_size)
    return cut.permute(0, 2, 3, 4, 5, 1).reshape(B, n * n, -1)


class FeedForward(nn.Module):
    def __init__(self, emb_size, expansion=4, dropout=0.0):
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)

    def forward(self, x):
        x = self.fc2(torch.relu(self.fc1(x)))


def attention_rollout(weights, head_fusion="mean", discard_ratio=0.0):
    if head_fusion not in ("mean", "max", "min"):
        raise ValueError(head_fusion)
    flow = 0
    for each in weights:
        own = torch.eye(each.shape[-1], dtype=each.dtype)
        step = each.mean(1) + 4 * own
        step = step / (step.sum(-1, keepdim=True) + 1e-8)
        flow = step if isinstance(flow, int) else step @ flow
    return flow
"""
ASSERTED = 'assert H == W, "square images only"'
REFUSED = 'if H != W: raise ValueError("square images only")'
HANDED_IN = {
    "built-in": {"a3_multi_head.py": PACKED.replace("HIDE", BUILT_IN)},
    "as-it-comes": {"a3_multi_head.py": PACKED.replace("HIDE", AS_IT_COMES)},
    "vit": {"a4_vit.py": VIT},
    "refuses": {"a4_vit.py": VIT.partition("\n\n\nclass")[0].replace(ASSERTED, REFUSED)},
}
HIDDEN = "a3.packed/masking/test_hidden_tokens_do_not_matter"
TOLD = [
    ("built-in", f"{HIDDEN}[padding]", "mask.not_read"),
    ("as-it-comes", f"{HIDDEN}[one-a-sample]", "mask.of_other_samples"),
    ("vit", "a4.patchify/shapes/test_patches[wide]", "raised.assertion"),
    ("refuses", "a4.patchify/shapes/test_patches[wide]", "raised.refused"),
    ("vit", "a4.mlp/shapes/test_feed_forward[usual]", "returned.none"),
    ("vit", "a4.rollout/outputs/test_values[max]", "argument.ignored"),
    ("vit", "a4.rollout/discard/test_small_entries_go[0.5]", "argument.ignored"),
]
SLUGS = ("a3.packed", "a4.patchify", "a4.mlp", "a4.rollout")


@pytest.fixture(scope="module")
def told() -> dict[str, dict[str, str]]:
    """The id of each check's cause, by submission."""
    files = {id: {n: text.encode() for n, text in each.items()} for id, each in HANDED_IN.items()}
    submissions = [Submission(id, data, digest_of(data), "") for id, data in files.items()]
    with Engine(find_course(ROOT), Options(workers=2, only=SLUGS)) as engine:
        return {
            result.submission.id: {
                seen.check: seen.cause.id for seen in result.observations if seen.cause
            }
            for result in busy.graded(engine, submissions)
        }


@pytest.mark.parametrize(("id", "check", "cause"), TOLD)
def test_what_the_answers_show_is_told(
    told: dict[str, dict[str, str]], id: str, check: str, cause: str
) -> None:
    assert told[id].get(check) == cause
