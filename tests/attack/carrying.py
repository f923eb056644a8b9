"""Attacks on what costs its points once: a cheap slip, and nothing more is written after it."""

from __future__ import annotations

from tests.attack.attack import Catalogue, End, Family

CATALOGUE = Catalogue(Family.FORGING)

RAISES = {
    "at-once": "raise RuntimeError",
    "in-torchs-words": "return torch.zeros(4, 3).T.view(2, -1)",
    "of-a-kind": "raise type('RuntimeError', (RuntimeError,), {})('view size is not compatible')",
}
for name, body in RAISES.items():
    CATALOGUE.points(
        f"carry-raising-{name}",
        "call code that only raises the same mistake as a slip that raises",
        f"""
        import torch

        def halves(x):
            return x.view(2, -1)

        def middle(x):
            {body}
        """,
        by="carrying",
        must=(End.REFUSED,),
    )
CATALOGUE.points(
    "carry-zeros",
    "call zeros for everything the same mistake as zeros before",
    """
    import torch

    def halves(x):
        return torch.zeros(2, x.numel() // 2, dtype=torch.float64)

    def middle(x):
        return torch.zeros(x.numel() // 2, dtype=torch.float64)
    """,
    by="carrying",
)
CATALOGUE.points(
    "carry-cheap-slip",
    "have a slip that raises, and costs little, pay for wrong numbers",
    """
    def halves(x):
        return x.view(2, -1)

    def middle(x):
        return x.reshape(2, -1).sum(0)
    """,
    by="carrying",
)
