"""The numbers of parameters that the course notebook prints for ViT-B/16, layer by layer.

The notebook pools by a mean over all tokens and a norm in its head; here the class token is read
after the encoder's norm. Both have as many parameters, and so have 8 heads and 12.
"""

from __future__ import annotations

import pytest
import torch

from reference.a4_vit import ViT, ViTEmbeddings, count_parameters, patchify


@pytest.fixture(scope="module")
def vit() -> ViT:
    with torch.device("meta"):
        return ViT()


@pytest.mark.parametrize(
    ("layer", "count"),
    [
        ("embeddings.patch_embedding.projection", 590_592),
        ("encoder.blocks.0.norm1", 1_536),
        ("encoder.blocks.0.attention.qkv", 1_771_776),
        ("encoder.blocks.0.attention.projection", 590_592),
        ("encoder.blocks.0.mlp.fc1", 2_362_368),
        ("encoder.blocks.11.mlp.fc2", 2_360_064),
        ("encoder.norm", 1_536),
        ("head.linear", 769_000),
    ],
)
def test_layer(vit: ViT, layer: str, count: int) -> None:
    assert count_parameters(vit.get_submodule(layer)) == count


def test_class_token_and_positions(vit: ViT) -> None:
    assert vit.embeddings.cls_token.shape == (1, 1, 768)
    assert vit.embeddings.positions.shape == (197, 768)


def test_patches_and_tokens_of_one_image() -> None:
    image = torch.zeros(1, 3, 224, 224)
    assert patchify(image, 16).shape == (1, 196, 768)
    assert ViTEmbeddings()(image).shape == (1, 197, 768)


def test_all_of_it(vit: ViT) -> None:
    assert count_parameters(vit) == 86_567_656


def test_full_size_gives_logits(vit: ViT) -> None:
    with torch.device("meta"):
        assert vit(torch.empty(2, 3, 224, 224)).shape == (2, 1000)
