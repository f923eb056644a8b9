"""## Which words look at which

Six words, three numbers each, and your `simple_self_attention`. A row belongs to the word that
looks, a column to the word that is looked at, and every row adds up to 1.
"""

words = ["Your", "journey", "starts", "with", "one", "step"]
sentence = torch.tensor(
    [
        [0.43, 0.15, 0.89],
        [0.55, 0.87, 0.66],
        [0.57, 0.85, 0.64],
        [0.22, 0.58, 0.33],
        [0.77, 0.25, 0.10],
        [0.05, 0.80, 0.55],
    ]
)

with grader.trying():
    context, weights = simple_self_attention(sentence)
    figure, axes = plt.subplots(figsize=(5, 4.2))
    image = heat_map(axes, weights, "attention weights", words, words, most=0.35)
    for row in range(6):
        for column in range(6):
            share = weights[row, column].item()
            axes.text(column, row, f"{share:.2f}", ha="center", va="center", size=8)
    axes.set_xlabel("is looked at (key)")
    axes.set_ylabel("looks (query)")
    figure.colorbar(image, label="weight")

"""**Think.** "journey" and "starts" have the darkest columns: nearly all words look at them most.
What in their numbers makes them so attractive, and is that a reason that has to do with meaning?
Multiply one row of `sentence` by 3 and draw again.
"""

"""## What the √Dh is for

One query and eight keys, all of them random, and only the width changes. Above, the softmax of the
plain scores; below, your `scaled_dot_product_attention`.
"""

generator = torch.Generator().manual_seed(0)

with grader.trying():
    drawn = []
    for width in (4, 64, 1024):
        query = torch.randn(1, width, generator=generator)
        key = torch.randn(8, width, generator=generator)
        plain = stable_softmax(attention_scores(query, key))
        _, scaled = scaled_dot_product_attention(query, key, key)
        drawn.append((width, plain[0], scaled[0]))
    figure, axes = plt.subplots(2, 3, figsize=(7.5, 4), sharex=True, sharey=True)
    for column, (width, plain, scaled) in enumerate(drawn):
        axes[0, column].bar(range(8), plain, color="tab:red")
        axes[1, column].bar(range(8), scaled, color="tab:blue")
        axes[0, column].set_title(f"Dh = {width}")
        axes[1, column].set_xlabel("key")
    axes[0, 0].set_ylabel("weight, not scaled")
    axes[1, 0].set_ylabel("weight, scaled")
    axes[0, 0].set_ylim(0, 1)

"""**Think.** At the top right one key has got everything. If training now wanted a bit less of it,
how large would the gradient through that softmax be? And why does the lower row look alike for all
widths?
"""
