"""## A clock with many hands

Your `sinusoidal_positions`: left the table itself, right how alike two places are, as the dot
product of their rows.
"""

with grader.trying():
    table = sinusoidal_positions(64, 32)  # T dim
    alike = table @ table.T / 16  # T T
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.8), width_ratios=[2, 3])
    image = axes[0].imshow(table, cmap="RdBu", vmin=-1, vmax=1, aspect="auto")
    axes[0].set(title="sine and cosine, pair by pair", xlabel="column", ylabel="place")
    figure.colorbar(image, ax=axes[0])
    image = axes[1].imshow(alike, cmap="viridis", vmin=0, vmax=1)
    axes[1].set(title="how alike two places are", xlabel="place", ylabel="place")
    figure.colorbar(image, ax=axes[1])

"""**Think.** The right picture has the same stripe along every diagonal. Which property of sine
and cosine is that, and what may attention do with it? Why do the columns on the far right of the
table hardly change, and what would they be good for?
"""

"""## Turning by the place

Left: the point (1, 0) of each pair, turned by your `apply_rope` at the places 0 to 7; with a base
of 100, so that you can see the slowest pair turn as well. Right: the score of one query with one
key, by their distance, at three places of a long text.
"""

generator = torch.Generator().manual_seed(3)

with grader.trying():
    pairs = torch.tensor([1.0, 0.0]).repeat(4).expand(1, 1, 8, 8)
    turned = apply_rope(pairs, torch.arange(8), base=100.0)[0, 0]
    turned = turned.unflatten(1, (4, 2))  # place pair 2
    query, key = torch.randn(2, 1, 1, 1, 32, generator=generator)
    distances = torch.arange(64)
    curves = {}
    for start in (0, 500, 5000):
        here = apply_rope(key.expand(1, 1, 64, 32), torch.full((64,), start))
        there = apply_rope(query.expand(1, 1, 64, 32), start + distances)
        curves[start] = (here * there).sum(dim=-1)[0, 0]
    figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.6), width_ratios=[2, 3])
    for pair, colour in enumerate(("tab:blue", "tab:orange", "tab:green", "tab:red")):
        reach = 1 - 0.15 * pair
        axes[0].add_patch(plt.Circle((0, 0), reach, fill=False, color="lightgray"))
        for place in range(8):
            x, y = (reach * turned[place, pair]).tolist()
            axes[0].plot(x, y, "o", color=colour, alpha=0.3 + 0.1 * place, markersize=6)
        axes[0].plot([], [], "o", color=colour, label=f"pair {pair}")
    axes[0].set(title="places 0 (pale) to 7", aspect="equal", xlim=(-1.15, 1.15))
    axes[0].set_ylim(-1.15, 1.15)
    axes[0].legend(loc="center", fontsize=7, frameon=False)
    for (start, curve), style in zip(curves.items(), ("-", "--", ":"), strict=True):
        axes[1].plot(distances, curve, style, label=f"key at {start}", linewidth=4 - start / 2500)
    axes[1].set(title="a query and a key", xlabel="places between them", ylabel="score")
    axes[1].legend()

"""**Think.** The three lines lie on each other. Which two numbers does a score know nothing about?
Turn the query and not the key, and draw again: what does the score depend on now?
"""

"""## How far back

With `value` as the unit matrix, the output of your `sliding_window_attention` is its weights. Two
layers of it multiply: a token reaches what was reached by those that it sees.
"""

with grader.trying():
    alike, unit = torch.zeros(12, 4), torch.eye(12)
    one = sliding_window_attention(alike, alike, unit, window=3)  # T T
    layers = {"1 layer": one, "2 layers": one @ one, "4 layers": one @ one @ one @ one}
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True)
    for place, (title, weights) in zip(axes, layers.items(), strict=True):
        image = heat_map(place, weights.sqrt(), f"window 3, {title}", most=1)
        place.set_xlabel("token that is reached")
        place.set_xticks(range(0, 12, 2))
        place.set_yticks(range(0, 12, 2))
    axes[0].set_ylabel("token that looks")
    figure.colorbar(image, ax=axes, label="√ share", shrink=0.8)

"""**Think.** How far back does a token reach after n layers with a window of w? Its share of what
lies farthest is small: count the ways that lead there.
"""

"""## What a cache saves

A text is written token by token, once with your `prefill` of everything so far for each new token,
and once with your `step`. Both give the same output; what they cost is counted in additions and
multiplications.
"""

from torch.utils.flop_counter import FlopCounterMode

with grader.trying(), torch.no_grad():
    attention = KVCacheAttention(64, num_heads=4)
    text = torch.randn(1, 512, 64)
    lengths = range(32, 512, 32)
    anew, cached = [], []
    for length in lengths:
        with FlopCounterMode(display=False) as counter:
            attention.prefill(text[:, : length + 1])
        anew.append(counter.get_total_flops() / 1e6)
        attention.prefill(text[:, :length])
        with FlopCounterMode(display=False) as counter:
            attention.step(text[:, length : length + 1])
        cached.append(counter.get_total_flops() / 1e6)
    figure, axes = plt.subplots(figsize=(5.5, 3.4))
    axes.semilogy(lengths, anew, "o-", color="tab:red", label="everything anew")
    axes.semilogy(lengths, cached, "o-", color="tab:blue", label="with the cache")
    axes.set(title="one more token", xlabel="tokens before it", ylabel="millions of operations")
    axes.legend()

"""**Think.** Each mark on the left axis is ten times the one below. How do the two lines grow with
the length? And what does the second way pay with, for 100,000 tokens in 80 such layers?
"""
