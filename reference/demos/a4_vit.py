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

Real handwriting: 1,797 digits by 13 people, 8 by 8 pixels each. Your `ViT` learns from the first
1,500, and what counts are the other 297. Beside it learns a small network of filters with about as
many parameters. Both take well under a minute.
"""

import time

epochs = 30
losses, shares_right = {}, {}


def train(name, model):
    """Train a model on the first 1,500 digits, and keep its loss and its share right."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses[name], shares_right[name], begun = [], [], time.perf_counter()
    for _ in range(epochs):
        model.train()
        total = 0.0
        for chosen in torch.randperm(1500).split(50):
            loss = nn.functional.cross_entropy(model(images[chosen]), kind[chosen])
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            total += loss.item() * len(chosen)
        model.eval()
        with torch.no_grad():
            right = (model(new_images).argmax(dim=-1) == new_kind).float().mean().item()
        losses[name].append(total / 1500)
        shares_right[name].append(right)
    size = sum(parameter.numel() for parameter in model.parameters())
    taken = time.perf_counter() - begun
    print(f"{name}: {size:,} parameters, {right:.1%} of new digits right, {taken:.0f} seconds")


with grader.trying():
    lines = grader.data_file("digits.txt").read_text().split()
    kind = torch.tensor([int(line[0]) for line in lines])
    images = torch.tensor([[int(letter, 17) for letter in line[1:]] for line in lines])
    images = images.reshape(-1, 1, 8, 8) / 16  # 1797 1 8 8
    new_images, new_kind = images[1500:], kind[1500:]
    torch.manual_seed(0)
    vit = ViT(
        in_channels=1, patch_size=2, emb_size=48, img_size=8, depth=3, num_heads=4, num_classes=10
    )
    began = vit.embeddings.positions.detach().clone()
    train("your ViT", vit)
    filters = [nn.Conv2d(1, 38, 3, padding=1), nn.ReLU()]
    filters += [nn.Conv2d(38, 76, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    filters += [nn.Conv2d(76, 76, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    train("filters", nn.Sequential(*filters, nn.Flatten(), nn.Linear(4 * 76, 10)))
    figure, axes = plt.subplots(1, 2, figsize=(8, 3))
    for name in losses:
        axes[0].plot(range(1, epochs + 1), losses[name], label=name)
        axes[1].plot(range(1, epochs + 1), shares_right[name], label=name)
    axes[0].axhline(torch.tensor(10.0).log(), color="gray", linestyle=":", label="guessing")
    axes[0].set(title="loss", xlabel="epoch", ylim=(0, None))
    axes[1].axhline(0.1, color="gray", linestyle=":", label="guessing")
    axes[1].set(title="share right, on new digits", xlabel="epoch", ylim=(0, 1.02))
    for place in axes:
        place.legend(loc="center right")

"""**Think.** What does the dotted line on the left say, and why does the loss begin near it? Both
losses end near 0, and still the filters are better on new digits: what do they know about pictures
that your ViT has to learn? Take the positions away (`vit.embeddings.positions.data.zero_()` and
never train them): how much is lost?
"""

"""## What it looks at

Your `attention_rollout` and `rollout_to_patches`, on ten digits that the model has not seen. Bright
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
    if not losses:
        raise NotImplementedError("the trained ViT: of the cell above")
    few = torch.stack([new_images[new_kind == digit][0] for digit in range(10)])  # 10 1 8 8
    answers, weights = overheard(few)
    reached = rollout_to_patches(attention_rollout(weights, discard_ratio=0.5), (4, 4))  # 10 4 4
    figure, axes = plt.subplots(2, 10, figsize=(11, 2.8))
    for digit in range(10):
        show(axes[0, digit], few[digit], "")
        colour = "black" if answers[digit] == digit else "tab:red"
        axes[0, digit].set_title(answers[digit].item(), color=colour)
        show(axes[1, digit], few[digit], "")
        axes[1, digit].imshow(
            reached[digit], cmap="inferno", alpha=0.6, extent=(-0.5, 7.5, 7.5, -0.5)
        )
    axes[0, 0].set_ylabel("its answer")
    axes[1, 0].set_ylabel("rollout")

"""**Think.** Does it look at the ink, or at where the digits differ? The rollout knows nothing of
the values, the MLPs and the head: find a digit in which it misleads you.
"""

"""## What the positions have learned

Your `ViT` began with positions that were noise. Here is what training has added to those of the
patches: how alike that of the marked patch is to all others, from blue (opposite) to red (the
same).
"""

with grader.trying():
    if not losses:
        raise NotImplementedError("the trained ViT: of the cell above")
    learned = (vit.embeddings.positions.detach() - began).reshape(17, 48)[1:]
    learned = nn.functional.normalize(learned - learned.mean(dim=0), dim=1)
    alike = (learned @ learned.T).unflatten(1, (4, 4))  # 16 4 4
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.8))
    for place, (row, column) in zip(axes, ((0, 3), (3, 0), (1, 2), (2, 1)), strict=True):
        image = place.imshow(alike[4 * row + column], cmap="RdBu_r", vmin=-1, vmax=1)
        place.plot(column, row, "o", color="black")
        place.set(title=f"row {row}, column {column}", xticks=[], yticks=[])
    figure.colorbar(image, ax=axes, label="how alike")

"""**Think.** The corners have become alike, and unlike the patches in the middle. What do they have
in common in these digits? In a model trained on photographs neighbours become alike, and so
do rows and columns: what would photographs have to lose for that to fail?
"""
