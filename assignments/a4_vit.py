"""Assignment 4: the Vision Transformer.

"An Image is Worth 16x16 Words" (Dosovitskiy et al., 2021) says it in its title: cut a picture into
squares, call each square a word, and hand the sentence to the Transformer that you already have.
Nothing in there knows that the words were ever a picture. Where each one came from is told by a
position vector that is added to it, and the rest is learned.

    image          patches          tokens           encoder          head
    (B, C, H, W) → (B, N, P·P·C) →  (B, 1 + N, D) →  (B, 1 + N, D) →  (B, classes)
                   cut up           with CLS         depth blocks     one token

Shape letters: B batch, C channels, H and W height and width of the image, P patch side,
N = (H / P) · (W / P) patches, D model width; T tokens, 1 + N of them in a ViT. Attention inside a
block has its heads to itself: there H is their number and Dh their width, as in assignment 3.

That attention is the `PackedMultiHeadAttention` you wrote there, imported below. A mistake in it
costs its points there, and not here once more.

Torch's own attention and its Transformer layers are not allowed: neither
`F.scaled_dot_product_attention` nor `nn.MultiheadAttention`, and no `nn.TransformerEncoderLayer`.
"""

from collections.abc import Callable
from typing import Any

import torch
from a3_multi_head import PackedMultiHeadAttention
from torch import nn


def patchify(images: torch.Tensor, patch_size: int) -> torch.Tensor:
    """Cut images into square patches, and lay the numbers of each one out in a row.

    Section 3.1 of the paper: N patches x_p of P · P · C numbers are the words of the sentence.

    Shapes
        images   (B, C, H, W), H and W multiples of P; the two may differ
        returns  (B, N, P·P·C), N = (H / P) · (W / P), dtype and device as the images'

    Everything is counted as you read a page. Patches go left to right, then top to bottom; inside
    a patch so do the pixels, and the C numbers of one pixel stay together:

        patches[b, n, (r · P + s) · C + c] = images[b, c, P · row + r, P · column + s]
        n = row · (W / P) + column,  0 <= r, s < P,  0 <= c < C

    There is nothing to compute, only to move, and `reshape` alone cannot do it: it gives new names
    to numbers that lie side by side in memory, and the rows of a patch do not. Split H and W in
    two axes each, *permute*, and only then merge. (Or one line of einops.)

    If the height or the width is not a multiple of P, raise a ValueError whose message contains
    that length and P. `images` is not modified.

    Example: an image of 4 by 6 with its pixels numbered in order has two rows of three patches.

        >>> image = torch.arange(24.0).reshape(1, 1, 4, 6)
        >>> patchify(image, 2)[0]
        tensor([[ 0.,  1.,  6.,  7.],
                [ 2.,  3.,  8.,  9.],
                [ 4.,  5., 10., 11.],
                [12., 13., 18., 19.],
                [14., 15., 20., 21.],
                [16., 17., 22., 23.]])

    With two channels, the second the negative of the first, the first patch is:

        >>> patchify(torch.cat([image, -image], dim=1), 2)[0, 0].tolist()
        [0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 7.0, -7.0]

    To write here: everything.
    """
    raise NotImplementedError("patchify: replace this line with your solution")


def unpatchify(patches: torch.Tensor, patch_size: int, height: int, width: int) -> torch.Tensor:
    """Put patches together to images again: what `patchify` did, backwards.

    A masked autoencoder (He et al., 2021) draws its pictures with it; you will be glad of it as
    soon as you want to *see* what your patches are.

    Shapes
        patches  (B, N, P·P·C), as `patchify` gives them; C is what the last axis leaves
        returns  (B, C, H, W), with H = height and W = width, dtype and device as the patches'

    The number of patches does not tell the shape of the picture: six of them may be 2 by 3, 3 by 2
    or 1 by 6. So height and width are arguments. Raise a ValueError
        if one of them is not a multiple of P, with that length and P in the message;
        if N is not (H / P) · (W / P), with N and the number that it should be in the message.
    `patches` is not modified.

    Example:

        >>> image = torch.randn(2, 3, 8, 12)
        >>> torch.equal(unpatchify(patchify(image, 4), 4, height=8, width=12), image)
        True

    To write here: everything.
    """
    raise NotImplementedError("unpatchify: replace this line with your solution")


class PatchEmbedding(nn.Module):
    """Cut an image into patches, and turn each one into a token by the same linear map.

    Section 3.1 and equation 1 of the paper, without the class token and the positions:

        token_n = E · patch_n + b          n = 0, …, N - 1

    The patches do not overlap, and they are counted like words on a page: left to right, then
    top to bottom. E has one weight for each of the P · P · C numbers of a patch, and the very same
    E serves every patch.

    There are two ways to write it, and both are right:
        cut and multiply   reshape to (B, N, P·P·C), then nn.Linear(P·P·C, D)
        one convolution    nn.Conv2d(C, D, kernel_size=P, stride=P): a filter that is as large as
                           a patch and steps from patch to patch *is* that linear map

    Arguments
        in_channels  C
        patch_size   P
        emb_size     D

    The name that the grader looks for is `projection`, the convolution or the linear layer.

    This is only the patches. Elsewhere a class of this name often adds the class token and the
    positions as well; here that is the work of a second class, `ViTEmbeddings`.

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
            images   (B, C, H, W), H and W multiples of P; the two may differ
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

    Example: a patch of 2 by 2 with two channels, and a weight numbered in order. The first
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


class ViTEmbeddings(nn.Module):
    """From an image to the sequence that the encoder reads: equation 1 of the paper, all of it.

        z_0 = [CLS; E patch_0 + b; …; E patch_{N-1} + b] + positions

    CLS is a learned token that belongs to no patch, an idea from BERT. It comes first, it is the
    same for every image, and what it has gathered when it leaves the encoder is read by the head.

    Positions are a learned vector for *every* token, CLS included. Without them attention cannot
    tell a picture from its puzzle pieces: exchange two patches, and it exchanges two outputs.

    Arguments
        in_channels, patch_size, emb_size    of the patches: C, P and D
        img_size                             side of the (square) images; N = (img_size / P)²
        dropout                              share that is dropped, once, at the very end

    Names that the grader looks for: `patch_embedding`, a `PatchEmbedding`; `cls_token`, a Parameter
    (1, 1, D); `positions`, a Parameter (N + 1, D) or (1, N + 1, D), row 0 for CLS; `dropout`. An
    nn.Embedding for the positions will do, and so will a Parameter of its own for the position of
    CLS: the grader finds them, and says so.

    Example: four patches, CLS before them, and a model that has just been made.

        >>> embed = ViTEmbeddings(patch_size=4, emb_size=10, img_size=8)
        >>> embed(torch.zeros(2, 3, 8, 8)).shape
        torch.Size([2, 5, 10])
        >>> image = torch.randn(1, 3, 8, 8)
        >>> bool((embed(image)[0, 0] == embed(-image)[0, 0]).all())
        True

    CLS has seen no image yet.
    """

    def __init__(
        self,
        in_channels: int = 3,
        patch_size: int = 16,
        emb_size: int = 768,
        img_size: int = 224,
        dropout: float = 0.0,
    ) -> None:
        """Create the patch embedding, CLS, the positions and the dropout.

        CLS and the positions must be Parameters, or nobody ever trains them. What they hold at
        first is up to you; small numbers are usual. The batch is not known here, and CLS has none.

        If img_size is not a multiple of P, raise a ValueError whose message contains both.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError("ViTEmbeddings.__init__: replace this line with your solution")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Return CLS and one token for each patch, each with its position.

        Shapes
            images   (B, C, img_size, img_size); images of another size may be refused
            returns  (B, 1 + N, D), dtype and device as the images'

        CLS has a batch of one; `expand` makes it B without a copy, and its gradient is then the
        sum over the batch. Dropout comes last: after the positions, on all tokens. `images` is not
        modified, and neither are the parameters: `tokens += …` is safe on a tensor that you have
        just made, and on no other.

        To write here: everything.
        """
        raise NotImplementedError("ViTEmbeddings.forward: replace this line with your solution")


def sincos_2d(height: int, width: int, dim: int) -> torch.Tensor:
    """Return positions that nobody has to learn: waves along the rows, waves along the columns.

    The table of "Attention Is All You Need" (section 3.5) once for each axis, side by side, as in
    the code of MoCo v3 (Chen et al., 2021) and of masked autoencoders (He et al., 2021). With
    dim / 4 frequencies

        omega_i = 10000^(-2i / (dim / 2)),   0 <= i < dim / 4

    the patch in row y and column x of the grid has the numbers

        sin(y · omega_i), cos(y · omega_i), sin(x · omega_i), cos(x · omega_i)   for each i

    Coordinates are whole numbers and start from 0. Slow waves tell roughly where a patch is, fast
    ones tell it from its neighbour, and a step to the right is the same rotation everywhere.

    Shapes
        returns  (height · width, dim), one row for each patch, counted as you read a page

    Papers and libraries disagree about the order of the columns, and to a network it is all the
    same. Here: all sines of y, all cosines of y, all sines of x, all cosines of x. Another order
    is as right, and is accepted. (The frequencies differ too: those in the code of "Better plain
    ViT baselines", Beyer et al., 2022, end at 1 / 10000 itself. Here they are as above.)

    If dim is not a multiple of 4, raise a ValueError whose message contains dim.

    Example: a grid of 2 by 3 with one frequency, omega_0 = 1.

        >>> sincos_2d(2, 3, 4)
        tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
                [ 0.0000,  1.0000,  0.8415,  0.5403],
                [ 0.0000,  1.0000,  0.9093, -0.4161],
                [ 0.8415,  0.5403,  0.0000,  1.0000],
                [ 0.8415,  0.5403,  0.8415,  0.5403],
                [ 0.8415,  0.5403,  0.9093, -0.4161]])

    To write here: everything.
    """
    raise NotImplementedError("sincos_2d: replace this line with your solution")


def interpolate_positions(
    positions: torch.Tensor,
    old_grid: tuple[int, int],
    new_grid: tuple[int, int],
    num_prefix: int = 1,
) -> torch.Tensor:
    """Stretch learned positions over a grid of another size.

    Section 3.2 of the paper: a model that was trained on small pictures can look at larger ones.
    There are more patches then, and for most of them no position was ever learned. But the
    positions of the patches are a picture themselves, with D channels, and pictures can be scaled.

    Shapes
        positions  (num_prefix + N, D) or (1, num_prefix + N, D), N = h · w of the old grid
        old_grid   (h, w), rows and columns of patches
        new_grid   (h, w)
        returns    (num_prefix + M, D) or (1, num_prefix + M, D) as it came, M = h · w of the
                   new grid; dtype and device as the positions'

    The first `num_prefix` rows belong to tokens that are nowhere in the picture, such as CLS: they
    are set aside, and come back untouched. The others are laid out as a grid (patches are counted
    row by row), scaled, and laid out in a row again.

    Bilinear or bicubic, and `align_corners` as you like: `nn.functional.interpolate` does it all.
    It wants (B, D, h, w), so there is something to permute, on the way in and on the way out. Not
    "nearest": it would give several patches the same position.

    Two grids may have the same number of patches and not be the same, 2 by 6 and 3 by 4 for
    instance: do not compare numbers, compare grids. On the same grid nothing changes.
    `positions` is not modified.

    Example: one feature that grows from left to right still does on a wider grid.

        >>> positions = torch.tensor([[9.0], [0.0], [1.0], [0.0], [1.0]])  # CLS, then 2 by 2
        >>> wide = interpolate_positions(positions, (2, 2), (2, 3))
        >>> wide.shape, wide[0].item()
        (torch.Size([7, 1]), 9.0)
        >>> left, middle, right = wide[1:4, 0]
        >>> bool(left < middle < right), round(middle.item(), 4)
        (True, 0.5)

    To write here: everything.
    """
    raise NotImplementedError("interpolate_positions: replace this line with your solution")


class ResidualAdd(nn.Module):
    """Wrap anything so that it adds to its input instead of replacing it.

        y = x + fn(x)

    "Deep Residual Learning" (He et al., 2015). With fn at nearly nothing, y is nearly x: a block
    may begin by doing no harm, and the gradient has a road past every one of them.

    Arguments
        fn  a function, or a Module, whose parameters are then part of this one's

    Example:

        >>> double = ResidualAdd(lambda x: x)
        >>> double(torch.tensor([1.0, 2.0]))
        tensor([2., 4.])
        >>> shift = ResidualAdd(lambda x, by=0.0: x * 0 + by)
        >>> shift(torch.tensor([1.0, 2.0]), by=0.5)
        tensor([1.5000, 2.5000])
        >>> len(list(ResidualAdd(nn.Linear(3, 3)).parameters()))
        2
    """

    def __init__(self, fn: Callable[..., torch.Tensor]) -> None:
        """Keep `fn`. A Module that is made an attribute is registered, all by itself.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError("ResidualAdd.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        """Return x + fn(x, **kwargs), shapes as in `x`: (…, D).

        What else is given by name, a mask for instance, goes on to `fn`, which is called once.

        `+=` looks shorter and is wrong on either side. `x` belongs to the caller. And what `fn`
        returned belongs to `fn`: it may be x itself, or something that its own gradient needs, as
        with a tanh, whose backward pass then stops with an error.

        To write here: everything.
        """
        raise NotImplementedError("ResidualAdd.forward: replace this line with your solution")


class FeedForward(nn.Module):
    """The other half of a block: each token by itself through two linear maps.

        y = fc2(GELU(fc1(x)))

    Widen, apply a GELU, narrow: fc1 to `expansion` times the width, then back by fc2. Two thirds of
    a Transformer's weights are in here. Attention moves what tokens know between them; this is
    where one token thinks about it.

    There is nothing after fc2 but dropout. A GELU there could hardly ever *lower* a number of the
    residual stream: it never gives less than -0.17.

    Arguments
        emb_size    D
        expansion   how many times wider it is in between, a whole number
        dropout     share that is dropped, after the GELU and once more after fc2

    Names that the grader looks for: `fc1` and `fc2`, linear layers with bias.

    Example:

        >>> mlp = FeedForward(emb_size=10, expansion=4)
        >>> mlp.fc1
        Linear(in_features=10, out_features=40, bias=True)
        >>> mlp(torch.zeros(2, 5, 10)).shape
        torch.Size([2, 5, 10])
    """

    def __init__(self, emb_size: int, expansion: int = 4, dropout: float = 0.0) -> None:
        """Create the two linear layers and the dropout.

        To write here: everything.
        """
        super().__init__()
        raise NotImplementedError("FeedForward.__init__: replace this line with your solution")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return (…, D) for (…, D), dtype and device as in `x`.

        GELU is x · Φ(x) with the normal distribution's own Φ, by erf: PyTorch's default. The
        approximation by tanh differs in the fourth digit. `x` is not modified.

        To write here: everything.
        """
        raise NotImplementedError("FeedForward.forward: replace this line with your solution")


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
    (B, T, D). The norms may have torch's own eps, or the 1e-6 of published Vision Transformers.

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

        >>> one, two = (Encoder(n, emb_size=12, num_heads=3, final_norm=False) for n in (1, 2))
        >>> sum(p.numel() for p in two.parameters()) / sum(p.numel() for p in one.parameters())
        2.0
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
        pool         "cls" or "mean"; what any other does is up to you, and a ValueError is best

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

    It has to learn, too: the grader trains a very small one on eight images for twelve steps of
    Adam, and then its loss must be well below that of guessing. What torch's layers start from is
    good enough for that.

    The defaults are ViT-B/16. With its 1,000 classes it has 86,567,656 parameters:

        embeddings   projection             16·16·3·768 + 768        590,592
                     cls_token                                           768
                     positions              197·768                  151,296
        each block   norm1, norm2           2 · (768 + 768)            3,072
        of these 12  attention.qkv          768·2304 + 2304        1,771,776
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
    """Return how many numbers the parameters of a module hold.

    Every parameter counts, a frozen one (requires_grad=False) as well, in every layer however deep.
    One that is used in two places is still one. Buffers are not parameters.

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


def attention_rollout(
    weights: list[torch.Tensor], head_fusion: str = "mean", discard_ratio: float = 0.0
) -> torch.Tensor:
    """Follow attention through all layers: how much of each input token reaches each output token?

    The map of the last layer alone tells little. What it attends to are tokens that have gathered
    from others already, layer by layer. "Quantifying Attention Flow in Transformers" (Abnar and
    Zuidema, 2020) multiplies the maps, as you would follow water through a network of pipes:

        rollout = A_last ··· A_2 A_1

    Shapes
        weights  one tensor (B, H, T, T) for each layer, the first layer first, for H heads and
                 T = 1 + N tokens; rows are queries, and token 0 is CLS
        returns  (B, T, T), dtype and device as the weights': row i tells what output i is made of

    Each A is made of the weights of one layer in four steps. Steps 3 and 4 are of that paper. Max
    and min in step 1, and all of step 2, are additions by Jacob Gildenblat (vit_rollout.py in his
    vit-explain). That file is often copied, and does not do what is asked for here: it spares one
    single entry in step 2, and divides columns in step 4.

        1. heads     Fuse them: "mean", "max" or "min" over the heads, (B, T, T). For any other
                     head_fusion raise a ValueError.
        2. discard   Small weights are noise. In each sample, find the floor(discard_ratio · T · T)
                     smallest of all T · T entries and set them to 0; those of them that stand in
                     the column of CLS (column 0) are spared.
        3. residual  Half of what leaves a block has come past the attention: A ← (A + I) / 2.
        4. rows      Divide each row by its sum, so that it adds up to 1.

    Mind the order of the product: the first layer is applied first, so it stands on the right.
    The list and its tensors are not modified.

    Example: two tokens and one head. In the first layer both look at token 1, in the second each at
    itself.

        >>> first = torch.tensor([[[[0.0, 1.0], [0.0, 1.0]]]])
        >>> second = torch.eye(2).reshape(1, 1, 2, 2)
        >>> attention_rollout([first, second])
        tensor([[[0.5000, 0.5000],
                 [0.0000, 1.0000]]])

    To write here: everything.
    """
    raise NotImplementedError("attention_rollout: replace this line with your solution")


def rollout_to_patches(rollout: torch.Tensor, grid: tuple[int, int]) -> torch.Tensor:
    """Return what CLS has gathered from each patch, as a picture to lay over the image.

    Shapes
        rollout  (B, 1 + N, 1 + N), of `attention_rollout`
        grid     (h, w), rows and columns of patches, N = h · w
        returns  (B, h, w), dtype and device as the rollout's

    The output that the head reads is that of CLS: its *row* tells what it is made of. What CLS has
    kept of itself is no patch. Patches are counted row by row. `rollout` is not modified.

    Do not read too much into the picture. It tells where information could flow, and not whether
    the model made anything of it.

    Example: a grid of 1 by 2.

        >>> rollout = torch.tensor([[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1], [0.0, 0.6, 0.4]]])
        >>> rollout_to_patches(rollout, (1, 2))
        tensor([[[0.2000, 0.3000]]])

    To write here: everything.
    """
    raise NotImplementedError("rollout_to_patches: replace this line with your solution")


# demo
# Run this, change it, add to it: it is never graded.
if __name__ == "__main__":
    # patchify
    image = torch.arange(24.0).reshape(1, 1, 4, 6)
    print(patchify(image, 2)[0])
    # tensor([[ 0.,  1.,  6.,  7.],
    #         [ 2.,  3.,  8.,  9.],
    #         [ 4.,  5., 10., 11.],
    #         [12., 13., 18., 19.],
    #         [14., 15., 20., 21.],
    #         [16., 17., 22., 23.]])
    print(patchify(torch.cat([image, -image], dim=1), 2)[0, 0].tolist())
    # [0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 7.0, -7.0]

    # unpatchify
    image = torch.randn(2, 3, 8, 12)
    print(torch.equal(unpatchify(patchify(image, 4), 4, height=8, width=12), image))
    # True

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

    # ViTEmbeddings
    embed = ViTEmbeddings(patch_size=4, emb_size=10, img_size=8)
    print(embed(torch.zeros(2, 3, 8, 8)).shape)
    # torch.Size([2, 5, 10])
    image = torch.randn(1, 3, 8, 8)
    print(bool((embed(image)[0, 0] == embed(-image)[0, 0]).all()))
    # True

    # sincos_2d
    print(sincos_2d(2, 3, 4))
    # tensor([[ 0.0000,  1.0000,  0.0000,  1.0000],
    #         [ 0.0000,  1.0000,  0.8415,  0.5403],
    #         [ 0.0000,  1.0000,  0.9093, -0.4161],
    #         [ 0.8415,  0.5403,  0.0000,  1.0000],
    #         [ 0.8415,  0.5403,  0.8415,  0.5403],
    #         [ 0.8415,  0.5403,  0.9093, -0.4161]])

    # interpolate_positions
    positions = torch.tensor([[9.0], [0.0], [1.0], [0.0], [1.0]])  # CLS, then 2 by 2
    wide = interpolate_positions(positions, (2, 2), (2, 3))
    print((wide.shape, wide[0].item()))
    # (torch.Size([7, 1]), 9.0)
    left, middle, right = wide[1:4, 0]
    print((bool(left < middle < right), round(middle.item(), 4)))
    # (True, 0.5)

    # ResidualAdd
    double = ResidualAdd(lambda x: x)
    print(double(torch.tensor([1.0, 2.0])))
    # tensor([2., 4.])
    shift = ResidualAdd(lambda x, by=0.0: x * 0 + by)
    print(shift(torch.tensor([1.0, 2.0]), by=0.5))
    # tensor([1.5000, 2.5000])
    print(len(list(ResidualAdd(nn.Linear(3, 3)).parameters())))
    # 2

    # FeedForward
    mlp = FeedForward(emb_size=10, expansion=4)
    print(mlp.fc1)
    # Linear(in_features=10, out_features=40, bias=True)
    print(mlp(torch.zeros(2, 5, 10)).shape)
    # torch.Size([2, 5, 10])

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
    one, two = (Encoder(n, emb_size=12, num_heads=3, final_norm=False) for n in (1, 2))
    print(sum(p.numel() for p in two.parameters()) / sum(p.numel() for p in one.parameters()))
    # 2.0

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

    # attention_rollout
    first = torch.tensor([[[[0.0, 1.0], [0.0, 1.0]]]])
    second = torch.eye(2).reshape(1, 1, 2, 2)
    print(attention_rollout([first, second]))
    # tensor([[[0.5000, 0.5000],
    #          [0.0000, 1.0000]]])

    # rollout_to_patches
    rollout = torch.tensor([[[0.5, 0.2, 0.3], [0.1, 0.8, 0.1], [0.0, 0.6, 0.4]]])
    print(rollout_to_patches(rollout, (1, 2)))
    # tensor([[[0.2000, 0.3000]]])
