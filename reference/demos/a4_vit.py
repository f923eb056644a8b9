"""## A picture becomes a sentence

A small picture, drawn with tensors; cut by your `patchify`; and its patches put together again by
your `unpatchify`, in the order in which they came and in another one.
"""

rows, columns = torch.meshgrid(torch.linspace(-1, 1, 48), torch.linspace(-1, 1, 48), indexing="ij")
sun = ((rows + 0.35) ** 2 + (columns - 0.35) ** 2 < 0.08).float()
hill = (rows > 0.35 + 0.3 * torch.sin(3 * columns)).float()
sky = (1 - rows) / 3 * (1 - sun) * (1 - hill)
picture = torch.stack([sun + 0.3 * sky + 0.2 * hill, 0.8 * sun + 0.6 * sky + 0.6 * hill, sky])
picture = picture.clamp(0, 1)[None]  # 1 C H W


def show(axes, image, title):
    """Draw an image (C, H, W), grey if it has one channel."""
    axes.imshow(image.permute(1, 2, 0).squeeze(-1).detach(), cmap="gray", vmin=0, vmax=1)
    axes.set(title=title, xticks=[], yticks=[])


with grader.trying():
    patches = patchify(picture, 12)  # 1 16 432
    shuffled = patches[:, torch.randperm(16, generator=torch.Generator().manual_seed(4))]
    again = unpatchify(patches, 12, 48, 48)[0]
    puzzle = unpatchify(shuffled, 12, 48, 48)[0]
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), width_ratios=[4, 4, 4, 4])
    show(axes[0], picture[0], "the picture")
    axes[1].imshow(patches[0], cmap="viridis", aspect="auto", interpolation="nearest")
    axes[1].set(title="what the model gets", xlabel="number", ylabel="patch", yticks=(0, 5, 10, 15))
    show(axes[2], again, "put together again")
    show(axes[3], puzzle, "in another order")

"""**Think.** To a ViT without positions the last two pictures are the same sentence. For which
questions about a picture would that do?
"""

"""## Where a patch is

Your `sincos_2d` on a grid of 16 by 16: how alike the position of one patch is to all others, from
blue (opposite) to red (the same). What all positions have in common is taken away first.
"""

with grader.trying():
    table = sincos_2d(16, 16, 64)
    table = nn.functional.normalize(table - table.mean(dim=0), dim=1)
    alike = (table @ table.T).unflatten(1, (16, 16))  # 256 16 16
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.8))
    for place, (row, column) in zip(axes, ((0, 0), (4, 11), (9, 6), (15, 15)), strict=True):
        image = place.imshow(alike[16 * row + column], cmap="RdBu_r", vmin=-1, vmax=1)
        place.plot(column, row, "o", color="black")
        place.set(title=f"row {row}, column {column}", xticks=[], yticks=[])
    figure.colorbar(image, ax=axes, label="how alike")

"""**Think.** The red spot has two arms: the same row, and the same column. Which columns of the
table make which arm? And what would the model have to learn first if the patches were simply
numbered, from 0 to 255?
"""

"""## Train your own ViT

Four kinds of picture, drawn with tensors under a good deal of noise: a bar that lies, a bar that
stands, a cross, a square. Your `ViT` has never seen any. It takes well under a minute.
"""

import time

kinds = ("lying bar", "standing bar", "cross", "square")
epochs = 10


def drawings(count, seed):
    """Return images (count, 1, 24, 24) and which kind each one is."""
    generator = torch.Generator().manual_seed(seed)
    kind = torch.randint(4, (count,), generator=generator)
    corner = torch.randint(1, 13, (count, 2), generator=generator)
    shapes = torch.zeros(4, 10, 10)
    shapes[0, 4:6] = shapes[1, :, 4:6] = 1.0
    shapes[2] = torch.maximum(shapes[0], shapes[1])
    shapes[3] = 1.0
    shapes[3, 2:8, 2:8] = 0.0
    images = 0.25 * torch.randn(count, 1, 24, 24, generator=generator)
    for image, which, (top, left) in zip(images, kind, corner.tolist(), strict=True):
        image[0, top : top + 10, left : left + 10] += shapes[which]
    return images, kind


images, kind = drawings(2000, seed=0)
new_images, new_kind = drawings(400, seed=1)
torch.manual_seed(0)
losses, shares_right = [], []

with grader.trying():
    vit = ViT(
        in_channels=1, patch_size=4, emb_size=48, img_size=24, depth=3, num_heads=4, num_classes=4
    )
    began = vit.embeddings.positions.detach().clone()
    optimiser = torch.optim.AdamW(vit.parameters(), lr=1e-3)
    begun = time.perf_counter()
    for epoch in range(epochs):
        vit.train()
        total = 0.0
        for chosen in torch.randperm(len(images)).split(50):
            loss = nn.functional.cross_entropy(vit(images[chosen]), kind[chosen])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += loss.item() * len(chosen)
        vit.eval()
        with torch.no_grad():
            right = (vit(new_images).argmax(dim=-1) == new_kind).float().mean().item()
        losses.append(total / len(images))
        shares_right.append(right)
        print(f"epoch {epoch + 1:2}: loss {losses[-1]:.3f}, right on new images {right:.1%}")
    print(f"{time.perf_counter() - begun:.0f} seconds")
    figure, axes = plt.subplots(1, 2, figsize=(8, 3))
    epoch_numbers = range(1, epochs + 1)
    axes[0].plot(epoch_numbers, losses, "o-", color="tab:red")
    axes[0].axhline(torch.tensor(4.0).log(), color="gray", linestyle=":", label="guessing")
    axes[0].set(title="loss", xlabel="epoch", ylim=(0, None))
    axes[1].plot(epoch_numbers, shares_right, "o-", color="tab:blue")
    axes[1].axhline(0.25, color="gray", linestyle=":", label="guessing")
    axes[1].set(title="share right, on new images", xlabel="epoch", ylim=(0, 1.02))
    for place in axes:
        place.legend(loc="center right")

"""**Think.** What does the dotted line on the left say, and why does the loss begin near it? Take
the positions away (`vit.embeddings.positions.data.zero_()` and never train them): which kinds can
still be told apart?
"""

"""## What it looks at

Your `attention_rollout` and `rollout_to_patches`, on pictures that the model has not seen. Bright
means that much of that patch has reached CLS. The weights are overheard: whatever your attention
puts through a softmax, in the order of the layers.
"""

from torch.utils._python_dispatch import TorchDispatchMode


class Overhear(TorchDispatchMode):
    """Keeps what comes out of every softmax over tokens, (B, H, T, T)."""

    def __init__(self):
        super().__init__()
        self.weights = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func is torch.ops.aten._softmax.default and result.dim() == 4:
            self.weights.append(result)
        return result


def overheard(images):
    """Return the model's answers and its attention weights, layer by layer."""
    with torch.no_grad(), Overhear() as overhear:
        answers = vit(images).argmax(dim=-1)
    if not overhear.weights:
        raise NotImplementedError("attention weights that come from torch.softmax: as (B, H, T, T)")
    return answers, overhear.weights


with grader.trying():
    few = torch.stack([new_images[new_kind == number][n] for number in range(4) for n in range(2)])
    if not losses:
        raise NotImplementedError("the trained ViT: of the cell above")
    answers, weights = overheard(few)
    reached = rollout_to_patches(attention_rollout(weights, discard_ratio=0.5), (6, 6))  # 8 6 6
    figure, axes = plt.subplots(2, 8, figsize=(11, 3.2))
    for column in range(8):
        show(axes[0, column], few[column], "")
        right = answers[column] == column // 2
        colour = "black" if right else "tab:red"
        axes[0, column].set_title(kinds[answers[column]], color=colour)
        show(axes[1, column], few[column], "")
        axes[1, column].imshow(
            reached[column], cmap="inferno", alpha=0.6, extent=(-0.5, 23.5, 23.5, -0.5)
        )
    axes[0, 0].set_ylabel("its answer")
    axes[1, 0].set_ylabel("rollout")

"""**Think.** Does it look at the shape, or at where the kinds differ? The rollout knows nothing of
the values, the MLPs and the head: find a picture in which it misleads you.
"""

"""## What the positions have learned

Your `ViT` began with positions that were noise. Here is what training has added to those of the
patches: how alike that of the marked patch is to all others, from blue (opposite) to red (the
same).
"""

with grader.trying():
    if not losses:
        raise NotImplementedError("the trained ViT: of the cell above")
    learned = (vit.embeddings.positions.detach() - began).reshape(37, 48)[1:]
    learned = nn.functional.normalize(learned - learned.mean(dim=0), dim=1)
    alike = (learned @ learned.T).unflatten(1, (6, 6))  # 36 6 6
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.8))
    for place, (row, column) in zip(axes, ((0, 5), (5, 0), (3, 2), (2, 3)), strict=True):
        image = place.imshow(alike[6 * row + column], cmap="RdBu_r", vmin=-1, vmax=1)
        place.plot(column, row, "o", color="black")
        place.set(title=f"row {row}, column {column}", xticks=[], yticks=[])
    figure.colorbar(image, ax=axes, label="how alike")

"""**Think.** Patches at the edge have become alike, and unlike those in the middle. What do they
have in common in these drawings? In a model trained on photographs neighbours become alike, and so
do rows and columns: what would photographs have to lose for that to fail?
"""
