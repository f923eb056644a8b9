"""## Masks, as pictures

Green means *may attend*. A row belongs to the query, a column to the key.
"""

with grader.trying():
    both = combine_masks(causal_mask(6), padding_mask(torch.tensor([4]), 6))
    masks = {
        "causal_mask(6)": causal_mask(6),
        "causal_mask(2, offset=4)": causal_mask(2, offset=4),
        "padding_mask, 4 of 6": padding_mask(torch.tensor([4]), 6)[0, 0],
        "causal and padding": both[0, 0],
    }
    figure, axes = plt.subplots(1, 4, figsize=(9, 2.9))
    for place, (title, mask) in zip(axes, masks.items(), strict=True):
        heat_map(place, mask.int(), title, range(len(mask)), range(6), colours="Greens", most=1.6)
        place.set_xticks([edge - 0.5 for edge in range(7)], minor=True)
        place.set_yticks([edge - 0.5 for edge in range(len(mask) + 1)], minor=True)
        place.grid(which="minor", color="white", linewidth=1.5)
        place.tick_params(which="minor", length=0)
        place.set_xlabel("key")
    axes[0].set_ylabel("query")

"""**Think.** The mask of padding has one row only. Which rows of the last picture belong to padded
words, and what would go wrong in a softmax if you hid those rows as well?
"""

"""## Before, and after

The scores of six words, as shares: first without a mask, then with your `masked_softmax`, then
with your `attention_dropout` at p = 0.2.
"""

words = ["Your", "journey", "starts", "with", "one", "step"]
scores = torch.randn(6, 6, generator=torch.Generator().manual_seed(2))
torch.manual_seed(0)  # Take this line away, and every run drops others.

with grader.trying():
    masked = masked_softmax(scores, causal_mask(6))
    tables = {
        "everything": torch.softmax(scores, dim=-1),
        "masked": masked,
        "masked, some dropped": attention_dropout(masked, p=0.2, training=True),
    }
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.5), sharey=True)
    for place, (title, table) in zip(axes, tables.items(), strict=True):
        image = heat_map(place, table, title, words, words, most=1.25)
        for row in range(6):
            total = f"{table[row].sum():.2f}"
            place.text(5.7, row, total, va="center", size=8, color="dimgray")
    figure.colorbar(image, ax=axes, label="weight", shrink=0.8)

"""**Think.** The grey numbers are the sums of the rows. Why is the sum on the right no longer 1,
why is that all right, and what is it on average? Which row has the most to lose?
"""

"""## Who feels a change

A test that looks at nothing but what comes out: change one word, and see which outputs of your
`CausalAttention` move.
"""

torch.manual_seed(0)

with grader.trying():
    attention = CausalAttention(8, 8, context_length=6, dropout=0.0).eval()
    tokens = torch.randn(1, 6, 8)
    moved = torch.zeros(6, 6)
    with torch.no_grad():
        before = attention(tokens)
        for changed in range(6):
            other = tokens.clone()
            other[:, changed] += torch.randn(8)
            moved[:, changed] = (attention(other) - before).norm(dim=-1)[0]
    shares = moved / moved.amax(dim=0)  # 6 6
    figure, axes = plt.subplots(figsize=(4.4, 3.6))
    image = heat_map(axes, shares, "how far each output moves", range(6), range(6), "Oranges")
    image.set_clim(-0.4, 1)  # However little an output moves, it has a colour.
    for row, column in (moved == 0).nonzero():
        square = {"facecolor": "white", "edgecolor": "lightgray", "hatch": "////", "linewidth": 0}
        axes.add_patch(plt.Rectangle((column - 0.5, row - 0.5), 1, 1, **square))
    axes.set(xlabel="token that was changed", ylabel="output")

"""**Think.** Hatched is what does not move at all: exactly 0, not nearly. In each column the output
that moves most is darkest, and whatever moves by the smallest number has a colour. So where would a
mistake in the mask show, and where one in the scale of the scores? (Only one of the two would.)
"""
