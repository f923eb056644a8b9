"""The five notebooks that this course was made from, and what came of each.

Cell by cell in docs/notebooks-map.md.
"""

from grader.course.source_notebooks import CourseNotebook

NOTEBOOKS = (
    CourseNotebook(
        "000",
        "Scaled dot-product attention on random tensors, and what it means in a ViT",
        (
            "a1.scores",
            "a1.sdpa",
            "a4.rollout",
            "a4.attention_map",
        ),
    ),
    CourseNotebook(
        "001",
        "Attention block by hand with explicit weight matrices",
        (
            "a1.scores",
            "a1.sdpa",
            "a1.modules",
            "a3.mha",
            "a3.packed",
        ),
    ),
    CourseNotebook(
        "002",
        "Attention step by step, from dot products to causal multi-head attention",
        (
            "a1.scores",
            "a1.softmax",
            "a1.simple",
            "a1.modules",
            "a2.causal_mask",
            "a2.masked_softmax",
            "a2.dropout",
            "a2.causal_attention",
            "a3.heads",
            "a3.wrapper",
            "a3.mha",
            "a1.why_scale",
            "a2.why_mask_first",
        ),
    ),
    CourseNotebook(
        "003",
        "A Vision Transformer with einops",
        (
            "a1.sdpa",
            "a3.heads",
            "a3.packed",
            "a4.patchify",
            "a4.patch_embedding",
            "a4.embeddings",
            "a4.mlp",
            "a4.block",
            "a4.encoder",
            "a4.vit",
        ),
    ),
    CourseNotebook(
        "004",
        "Encoder and decoder in words, and a Vision Transformer with tensordot",
        (
            "a1.sdpa",
            "a3.packed",
            "a3.cross",
            "a4.embeddings",
            "a4.mlp",
            "a4.block",
            "a4.vit",
            "a5.positions",
            "a5.decoder",
            "a1.why_scale",
            "a5.who_sees_what",
        ),
    ),
)
