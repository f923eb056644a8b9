"""Assignment 4: the Vision Transformer.

"An Image is Worth 16x16 Words" (Dosovitskiy et al., 2021) says it in its title: cut a picture into
squares, call each square a word, and hand the sentence to the Transformer that you already have.
Nothing in there knows that the words were ever a picture. Where each one came from is told by a
position vector that is added to it, and the rest is learned.

    image            patches             tokens                  encoder          head
    (B, C, H, W)  →  (B, N, P·P·C)  →  (B, 1 + N, D)  ────────→  (B, 1 + N, D) →  (B, classes)
                     cut                 project, CLS, positions  depth blocks     one token, Linear

Shape letters: B batch, C channels, H and W height and width of the image, P patch side,
N = (H / P) · (W / P) patches, D model width. Attention inside a block has its heads to itself:
there H is their number and Dh their width, as in assignment 3.
"""

import torch
from torch import nn


class PatchEmbedding(nn.Module):
    """Cut an image into patches, and turn each one into a token by the same linear map.

    Section 3.1 and equation 1 of the paper, without the class token and the positions:

        token_n = E · patch_n + b          n = 0, …, N - 1

    The patches do not overlap, and they are counted like words on a page: left to right, then
    top to bottom. E has one weight for each of the P · P · C numbers of a patch, and the very same
    E serves every patch.

    There are two ways to write it, and both are right:
        cut and multiply   reshape to (B, N, P·P·C), then nn.Linear(P·P·C, D)
        convolve           nn.Conv2d(C, D, kernel_size=P, stride=P): a filter that is as large as
                           a patch and steps from patch to patch *is* that linear map

    Arguments
        in_channels  C
        patch_size   P
        emb_size     D

    The name that the grader looks for is `projection`, the convolution or the linear layer.

    This is only the patches. A class of this name that adds the class token and the positions as
    well does the work of two; here they live in `ViTEmbeddings`.

    Example: an image of 8 by 12 in patches of 4 by 4 is 2 rows of 3 patches.

        >>> embed = PatchEmbedding(in_channels=3, patch_size=4, emb_size=10)
        >>> embed(torch.zeros(2, 3, 8, 12)).shape
        torch.Size([2, 6, 10])
        >>> with torch.no_grad():  # let every feature be the sum of a patch's numbers
        ...     _ = embed.projection.weight.fill_(1.0), embed.projection.bias.zero_()
        >>> image = torch.zeros(1, 3, 8, 12)
        >>> image[0, :, 0:4, 4:8] = 1.0  # the patch in the middle of the first row
        >>> embed(image)[0, :, 0].tolist()
        [0.0, 48.0, 0.0, 0.0, 0.0, 0.0]
    """

    def __init__(self, in_channels: int = 3, patch_size: int = 16, emb_size: int = 768) -> None:
        """Create the linear map, with bias.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError("PatchEmbedding.__init__: replace this line with your solution")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return one token for each patch, row by row.

        Shapes
            images   (B, C, H, W), H and W multiples of P and not always equal
            returns  (B, N, D), dtype and device as the images'

        If the height or the width is not a multiple of P, raise a ValueError whose message contains
        that length and P. (A convolution would silently cut off the rest.) `images` is not
        modified.

        A convolution gives (B, D, H/P, W/P), with the features *before* the patches. Reshaping
        that to (B, N, D) has the right shape and the wrong numbers: flatten, then transpose.

        To write here: everything.
        """
        raise NotImplementedError("PatchEmbedding.forward: replace this line with your solution")


def conv_weight_from_linear(
    weight: torch.Tensor, in_channels: int, patch_size: int
) -> torch.Tensor:
    """Return the convolution weight that does to an image what a Linear does to its flat patches.

    The two ways to write `PatchEmbedding` hold the same numbers in different places. To load a
    checkpoint of one into the other, move them: that is all there is to it.

    Shapes
        weight   (D, P·P·C), the weight of an nn.Linear for patches whose numbers are flattened in
                 the order (row, column, channel): first the C channels of the top left pixel, then
                 those of the pixel right of it, …
        returns  (D, C, P, P), the weight of an nn.Conv2d with kernel size and stride P

    Reshaping to (D, C, P, P) directly again has the right shape and the wrong numbers.

    Example: a patch of 2 by 2 with two channels, and a weight that is numbered through. The first
    channel gets the even numbers, row by row.

        >>> conv_weight_from_linear(torch.arange(8.0).reshape(1, 8), in_channels=2, patch_size=2)
        tensor([[[[0., 2.],
                  [4., 6.]],
        <BLANKLINE>
                 [[1., 3.],
                  [5., 7.]]]])

    To write here: everything. `weight` is not modified.
    """
    raise NotImplementedError("conv_weight_from_linear: replace this line with your solution")


class PackedMultiHeadAttention(nn.Module):
    """The attention of assignment 3 without its mask, complete: an image has no future to hide.

    Queries, keys and values come out of one linear map `qkv`, three times as wide: first all of
    the query's features, then the key's, then the value's, and inside each head by head.
    """

    def __init__(self, emb_size: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if emb_size % num_heads != 0:
            raise ValueError(f"a width of {emb_size} cannot be divided among {num_heads} heads")
        self.num_heads = num_heads
        self.qkv = nn.Linear(emb_size, 3 * emb_size)
        self.projection = nn.Linear(emb_size, emb_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T, D) → (B, T, D)."""
        batch, tokens, width = x.shape
        qkv = self.qkv(x).view(batch, tokens, 3, self.num_heads, -1)  # B T 3 H Dh
        query, key, value = qkv.permute(2, 0, 3, 1, 4)  # B H T Dh, three times
        scores = query @ key.transpose(2, 3) * query.shape[-1] ** -0.5  # B H T T
        weights = self.dropout(torch.softmax(scores, dim=-1))
        merged = (weights @ value).transpose(1, 2).reshape(batch, tokens, width)  # B T D
        output: torch.Tensor = self.projection(merged)
        return output


class FeedForward(nn.Module):
    """The other half of a block, complete: each token by itself through two linear maps.

    Wide, bent, narrow again: fc1 to `expansion` times the width, GELU, fc2 back. There is nothing
    after fc2 but dropout. A GELU there could hardly ever *lower* a number of the residual stream.
    """

    def __init__(self, emb_size: int, expansion: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        self.fc1 = nn.Linear(emb_size, expansion * emb_size)
        self.fc2 = nn.Linear(expansion * emb_size, emb_size)
        self.activation = nn.GELU()
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(…, D) → (…, D)."""
        wide = self.dropout(self.activation(self.fc1(x)))  # … expansion·D
        output: torch.Tensor = self.dropout(self.fc2(wide))  # … D
        return output


class ViTEmbeddings(nn.Module):
    """From an image to the sequence that the encoder reads: equation 1 of the paper, all of it.

        z_0 = [CLS; E patch_0 + b; …; E patch_{N-1} + b] + positions

    CLS is a learned token that belongs to no patch. It comes first, and what it has gathered when
    it leaves the encoder is read by the head. Positions are a learned vector for *every* token,
    CLS included: without them attention cannot tell a picture from its puzzle pieces.
    """

    def __init__(
        self,
        in_channels: int = 3,
        patch_size: int = 16,
        emb_size: int = 768,
        img_size: int = 224,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        num_patches = (img_size // patch_size) ** 2
        self.patch_embedding = PatchEmbedding(in_channels, patch_size, emb_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, emb_size))
        self.positions = nn.Parameter(0.02 * torch.randn(num_patches + 1, emb_size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """(B, C, img_size, img_size) → (B, 1 + N, D).

        To write here: everything. CLS has a batch of one; `expand` makes it B without a copy.
        Dropout comes once, at the very end.
        """
        raise NotImplementedError("ViTEmbeddings.forward: replace this line with your solution")


class EncoderBlock(nn.Module):
    """Attention, then the MLP; each reads a normalised copy and *adds* what it found.

        z = z + attention(norm1(z))
        z = z + mlp(norm2(z))

    Equations 2 and 3 of the paper. The norms stand inside the branches (pre-norm), so that z
    itself runs through the whole encoder untouched: the residual is z and not norm(z).
    """

    def __init__(self, emb_size: int, num_heads: int, expansion: int = 4) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(emb_size)
        self.attention = PackedMultiHeadAttention(emb_size, num_heads)
        self.norm2 = nn.LayerNorm(emb_size)
        self.mlp = FeedForward(emb_size, expansion)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T, D) → (B, T, D). To write here: everything."""
        raise NotImplementedError("EncoderBlock.forward: replace this line with your solution")


class Encoder(nn.Module):
    """`depth` blocks one after the other, and a LayerNorm for every token that comes out."""

    def __init__(self, depth: int, emb_size: int, num_heads: int, expansion: int = 4) -> None:
        super().__init__()
        blocks = [EncoderBlock(emb_size, num_heads, expansion) for _ in range(depth)]
        self.blocks = nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(emb_size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, T, D) → (B, T, D). To write here: everything."""
        raise NotImplementedError("Encoder.forward: replace this line with your solution")


class ClassificationHead(nn.Module):
    """Sum the picture up in one vector, and score each class by one linear map.

    pool="cls" takes the class token; pool="mean" takes the average of the N patch tokens, and
    leaves the class token out.
    """

    def __init__(self, emb_size: int, num_classes: int, pool: str = "cls") -> None:
        super().__init__()
        self.pool = pool
        self.linear = nn.Linear(emb_size, num_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(B, 1 + N, D) → raw logits (B, num_classes). To write here: everything."""
        raise NotImplementedError("ClassificationHead.forward: replace this line with your solution")


class ViT(nn.Module):
    """The Vision Transformer: from an image to one raw score for each class.

        logits = head(encoder(embeddings(images)))

    Arguments
        in_channels, patch_size, emb_size    of the patches: C, P and D
        img_size                             side of the (square) images
        depth, num_heads                     of the encoder; its MLPs are 4·D wide
        num_classes, pool                    of the head

    Names that the grader looks for: `embeddings`, `encoder` and `head`, and inside them those of
    the classes above, for instance `encoder.blocks.0.attention.qkv`. The classes above may be
    written anew, as long as the parameters keep their names and shapes. There is no dropout.

    The defaults are ViT-B/16. With its 1,000 classes it has 86,567,656 parameters:

        embeddings   projection             16·16·3·768 + 768        590,592
                     cls_token                                           768
                     positions              197·768                  151,296
        each of 12   norm1, norm2           2 · (768 + 768)            3,072
        blocks       attention.qkv          768·2304 + 2304        1,771,776
                     attention.projection   768·768 + 768            590,592
                     mlp.fc1                768·3072 + 3072        2,362,368
                     mlp.fc2                3072·768 + 768         2,360,064
        encoder      norm                   768 + 768                  1,536
        head         linear                 768·1000 + 1000          769,000

    Two thirds of every block are the MLP; the positions, which carry the whole geometry, are less
    than two thousandths of the model.

    Example: a very small one, for images of 8 by 8 in four patches.

        >>> vit = ViT(patch_size=4, emb_size=24, img_size=8, depth=2, num_heads=3, num_classes=5)
        >>> vit(torch.randn(2, 3, 8, 8)).shape
        torch.Size([2, 5])
        >>> sum(parameter.numel() for parameter in vit.embeddings.parameters())
        1320
    """

    def __init__(
        self,
        in_channels: int = 3,
        patch_size: int = 16,
        emb_size: int = 768,
        img_size: int = 224,
        depth: int = 12,
        num_heads: int = 12,
        num_classes: int = 1000,
        pool: str = "cls",
    ) -> None:
        """Create `embeddings`, `encoder` and `head`. To write here: everything."""
        super().__init__()
        raise NotImplementedError("ViT.__init__: replace this line with your solution")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return raw logits: no softmax, the loss brings its own.

        Shapes
            images   (B, C, img_size, img_size)
            returns  (B, num_classes), dtype and device as the images'

        To write here: everything.
        """
        raise NotImplementedError("ViT.forward: replace this line with your solution")


def count_parameters(module: nn.Module) -> int:
    """Return how many numbers training could change in a module.

    Every parameter counts, whether it is being trained or not, in every layer however deep. One
    that is used in two places is still one. Buffers are not parameters.

    Example: 3 times 4 weights and 4 biases.

        >>> layer = nn.Linear(3, 4)
        >>> count_parameters(layer)
        16
        >>> count_parameters(nn.Sequential(layer, nn.ReLU(), nn.BatchNorm1d(4)))
        24

    To write here: everything. On the meta device a module has shapes and no memory, so that
    ViT-B/16 can be counted at once: `with torch.device("meta"): print(count_parameters(ViT()))`
    """
    raise NotImplementedError("count_parameters: replace this line with your solution")
