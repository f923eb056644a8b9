"""Assignment 4: the Vision Transformer.

"An Image is Worth 16x16 Words" (Dosovitskiy et al., 2021) says it in its title: cut a picture into
squares, call each square a word, and hand the sentence to the Transformer that you already have.
Nothing in there knows that the words were ever a picture. Where each one came from is told by a
position vector that is added to it, and the rest is learned.

    image            patches             tokens                  encoder          head
    (B, C, H, W)  →  (B, N, P·P·C)  →  (B, 1 + N, D)  ────────→  (B, 1 + N, D) →  (B, classes)
                     cut                 project, CLS, positions  depth blocks     one token, Linear

Shape letters: B batch, C channels, H and W height and width of the image, P patch side,
N = (H / P) · (W / P) patches, D model width; T tokens, 1 + N of them in a ViT. Attention inside a
block has its heads to itself: there H is their number and Dh their width, as in assignment 3.

That attention is the `PackedMultiHeadAttention` you wrote there, imported below. A mistake in it
costs its points there, and not here once more.
"""

import torch
from a3_multi_head import PackedMultiHeadAttention
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

    Equations 2 and 3 of the paper:

        z = z + attention(norm1(z))
        z = z + mlp(norm2(z))

    First the tokens talk to each other, then each one thinks for itself. Follow z from the top to
    the bottom: nothing is ever done *to* it, things are only added. This road without a gate, the
    residual stream, is why twelve such blocks, or a hundred, can be trained at all; and it stays
    free only as long as the norms stand inside the branches (pre-norm). The second line reads the
    new z, with the first branch's finding in it.

    Arguments
        emb_size   D
        num_heads  H; it must divide D
        expansion  the MLP is expansion · D wide inside
        dropout    of the attention weights and inside the MLP; more on a branch is up to you

    Names that the grader looks for: `norm1`, `attention`, `norm2`, `mlp`, for instance
    `attention.qkv`. The attention is your own from assignment 3, imported above. If you have none
    yet, or would like another one, write a class in this file: it takes (x, mask) and returns
    (B, T, D).

    Example: whatever a block does, it only adds. With both last layers at zero, it does nothing.

        >>> block = EncoderBlock(emb_size=12, num_heads=3)
        >>> tokens = torch.randn(2, 5, 12)
        >>> block(tokens).shape
        torch.Size([2, 5, 12])
        >>> with torch.no_grad():
        ...     for last in (block.attention.projection, block.mlp.fc2):
        ...         _ = last.weight.zero_(), last.bias.zero_()
        >>> torch.equal(block(tokens), tokens)
        True
    """

    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        """Create two norms, the attention and the MLP. To write here: everything."""
        super().__init__()
        raise NotImplementedError("EncoderBlock.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return the tokens after one layer.

        Shapes
            x        (B, T, D)
            mask     bool, True = may attend; (T, T), (B, T, T) or four axes, as in assignment 3.
                     It goes on to the attention as it came; None allows everything
            returns  (B, T, D), dtype and device as x's

        An image has nothing to hide, but a padded sentence has, and so has a text that is still
        being written. (An nn.Sequential can be called with one argument only: a block that is one
        can do everything else.) `x` is not modified, which `x += …` would do.

        To write here: everything.
        """
        raise NotImplementedError("EncoderBlock.forward: replace this line with your solution")


class PostNormEncoderBlock(nn.Module):
    """The same parts in the order of 2017: normalise *after* adding.

    "Attention Is All You Need", section 3.1:

        z = norm1(z + attention(z))
        z = norm2(z + mlp(z))

    There is no free road here: every block puts the stream itself through two norms. At first the
    gradients are so large near the output that training fails, unless the learning rate is warmed
    up with care (Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020).
    BERT is built of these, the ViT of the others, and both have parameters of the same names and
    shapes: a checkpoint of one fits into the other, and gives nonsense.

    Arguments and names as in `EncoderBlock`.

    Example: whatever comes in, what comes out has mean 0, as the last norm leaves it.

        >>> block = PostNormEncoderBlock(emb_size=12, num_heads=3)
        >>> output = block(100.0 * torch.randn(2, 5, 12) + 7.0)
        >>> torch.allclose(output.mean(dim=-1), torch.zeros(2, 5), atol=1e-5)
        True
    """

    def __init__(
        self, emb_size: int, num_heads: int, expansion: int = 4, dropout: float = 0.0
    ) -> None:
        """Create two norms, the attention and the MLP. To write here: everything."""
        super().__init__()
        raise NotImplementedError(
            "PostNormEncoderBlock.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return the tokens after one layer: shapes as in `EncoderBlock.forward`.

        To write here: everything.
        """
        raise NotImplementedError(
            "PostNormEncoderBlock.forward: replace this line with your solution"
        )


class Encoder(nn.Module):
    """`depth` blocks one after the other, and a LayerNorm for every token that comes out.

        z_ℓ = block_ℓ(z_{ℓ-1})          ℓ = 1, …, depth
        y   = norm(z_depth)

    Equation 4 of the paper needs y of the class token only; here every token gets its norm, so
    that the head may read whichever it likes. Without that last norm, what leaves the encoder would
    be the sum of all that the blocks have added: the deeper the model, the larger.

    Arguments
        depth                  number of blocks, each with weights of its own
        emb_size, num_heads,   as in `EncoderBlock`
        expansion, dropout
        final_norm             whether there is a norm at the end

    Names that the grader looks for: `blocks`, an nn.ModuleList of EncoderBlock, and `norm`. A plain
    list would hide the blocks from `parameters()`, and `[block] * depth` is one block under many
    names.

    Example: two blocks are twice as many parameters as one.

        >>> def count(depth):
        ...     encoder = Encoder(depth, emb_size=12, num_heads=3, final_norm=False)
        ...     return sum(parameter.numel() for parameter in encoder.parameters())
        >>> count(2) == 2 * count(1)
        True
    """

    def __init__(
        self,
        depth: int,
        emb_size: int,
        num_heads: int,
        expansion: int = 4,
        dropout: float = 0.0,
        final_norm: bool = True,
    ) -> None:
        """Create the blocks and the norm; with final_norm=False there is nothing to train in it.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError("Encoder.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Return the tokens after all blocks.

        Shapes
            x        (B, T, D)
            mask     as in `EncoderBlock.forward`, the same for every block
            returns  (B, T, D), dtype and device as x's

        To write here: everything. `x` is not modified.
        """
        raise NotImplementedError("Encoder.forward: replace this line with your solution")


class ClassificationHead(nn.Module):
    """Sum the picture up in one vector, and score each class by one linear map.

    There are two ways to one vector. pool="cls" takes the class token: it belongs to no patch, and
    had every chance to gather what matters. pool="mean" takes the average of the N patch tokens,
    and leaves the class token out. (Both work. Appendix D.3 of the paper tells how the second
    seemed to be worse, until it got a learning rate of its own.)

    No norm in here, the encoder has one; and no softmax, the loss brings its own. (Some notebooks
    average *all* tokens and normalise the average. That is another model: the norm of an average is
    not the average of norms.)

    Arguments
        emb_size     D
        num_classes  number of scores
        pool         "cls" or "mean"

    The name that the grader looks for is `linear`.

    Example: token 0 is the class token, and "mean" does not look at it.

        >>> tokens = torch.tensor([[[9.0, 9.0], [1.0, 0.0], [3.0, 0.0]]])  # CLS and two patches
        >>> for pool in ("cls", "mean"):
        ...     head = ClassificationHead(2, num_classes=2, pool=pool)
        ...     with torch.no_grad():
        ...         _ = head.linear.weight.copy_(torch.eye(2)), head.linear.bias.zero_()
        ...     print(pool, head(tokens).tolist())
        cls [[9.0, 9.0]]
        mean [[2.0, 0.0]]
    """

    def __init__(self, emb_size: int, num_classes: int, pool: str = "cls") -> None:
        """Create the linear map, with bias. To write here: everything."""
        super().__init__()
        raise NotImplementedError(
            "ClassificationHead.__init__: replace this line with your solution"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return raw logits.

        Shapes
            x        (B, 1 + N, D), the class token first
            returns  (B, num_classes), dtype and device as x's

        To write here: everything. `x` is not modified.
        """
        raise NotImplementedError(
            "ClassificationHead.forward: replace this line with your solution"
        )


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


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # PatchEmbedding
    embed = PatchEmbedding(in_channels=3, patch_size=4, emb_size=10)
    print(embed(torch.zeros(2, 3, 8, 12)).shape)
    # torch.Size([2, 6, 10])
    with torch.no_grad():  # let every feature be the sum of a patch's numbers
        _ = embed.projection.weight.fill_(1.0), embed.projection.bias.zero_()
    image = torch.zeros(1, 3, 8, 12)
    image[0, :, 0:4, 4:8] = 1.0  # the patch in the middle of the first row
    print(embed(image)[0, :, 0].tolist())
    # [0.0, 48.0, 0.0, 0.0, 0.0, 0.0]

    # conv_weight_from_linear
    print(conv_weight_from_linear(torch.arange(8.0).reshape(1, 8), in_channels=2, patch_size=2))
    # tensor([[[[0., 2.],
    #           [4., 6.]],
    #
    #          [[1., 3.],
    #           [5., 7.]]]])

    # EncoderBlock
    block = EncoderBlock(emb_size=12, num_heads=3)
    tokens = torch.randn(2, 5, 12)
    print(block(tokens).shape)
    # torch.Size([2, 5, 12])
    with torch.no_grad():
        for last in (block.attention.projection, block.mlp.fc2):
            _ = last.weight.zero_(), last.bias.zero_()
    print(torch.equal(block(tokens), tokens))
    # True

    # PostNormEncoderBlock
    block = PostNormEncoderBlock(emb_size=12, num_heads=3)
    output = block(100.0 * torch.randn(2, 5, 12) + 7.0)
    print(torch.allclose(output.mean(dim=-1), torch.zeros(2, 5), atol=1e-5))
    # True

    # Encoder
    def count(depth):
        encoder = Encoder(depth, emb_size=12, num_heads=3, final_norm=False)
        return sum(parameter.numel() for parameter in encoder.parameters())
    print(count(2) == 2 * count(1))
    # True

    # ClassificationHead
    tokens = torch.tensor([[[9.0, 9.0], [1.0, 0.0], [3.0, 0.0]]])  # CLS and two patches
    for pool in ("cls", "mean"):
        head = ClassificationHead(2, num_classes=2, pool=pool)
        with torch.no_grad():
            _ = head.linear.weight.copy_(torch.eye(2)), head.linear.bias.zero_()
        print(pool, head(tokens).tolist())
    # cls [[9.0, 9.0]]
    # mean [[2.0, 0.0]]

    # ViT
    vit = ViT(patch_size=4, emb_size=24, img_size=8, depth=2, num_heads=3, num_classes=5)
    print(vit(torch.randn(2, 3, 8, 8)).shape)
    # torch.Size([2, 5])
    print(sum(parameter.numel() for parameter in vit.embeddings.parameters()))
    # 1320

    # count_parameters
    layer = nn.Linear(3, 4)
    print(count_parameters(layer))
    # 16
    print(count_parameters(nn.Sequential(layer, nn.ReLU(), nn.BatchNorm1d(4))))
    # 24
