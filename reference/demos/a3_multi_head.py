"""## Who gets which feature

Four tokens with twelve features. The number in a square is the token that it belongs to, its
colour the third of the features that it comes from; right, what your `split_heads` makes of it.
"""

colours = ("tab:blue", "tab:orange", "tab:green")


def squares(axes, table, title):
    """Draw squares that tell token and feature apart; an entry is 100 · token + feature."""
    axes.set_title(title)
    axes.set(xlim=(0, table.shape[1]), ylim=(table.shape[0], 0), aspect="equal", xticks=[])
    axes.set_yticks([])
    for row, numbers in enumerate(table.tolist()):
        for column, number in enumerate(numbers):
            colour = colours[number % 100 // 4]
            axes.add_patch(plt.Rectangle((column, row), 1, 1, color=colour, ec="white"))
            middle = {"ha": "center", "va": "center", "color": "white", "size": 9}
            axes.text(column + 0.5, row + 0.5, number // 100, **middle)


with grader.trying():
    features = 100 * torch.arange(4)[:, None] + torch.arange(12)  # T D
    heads = split_heads(features[None], num_heads=3)[0]  # H T Dh
    figure, axes = plt.subplots(1, 4, figsize=(9, 1.9), width_ratios=[3, 1, 1, 1])
    squares(axes[0], features, "before: one row for each token")
    for head in range(3):
        squares(axes[head + 1], heads[head], f"head {head}")

"""**Think.** Each head should have one colour, and the tokens 0 to 3 from top to bottom. Draw
`features.reshape(3, 4, 4)` instead of `heads`: its shape is the same. What would a head then take
for a token?
"""

"""## What each head attends to

Three heads that you can read, because their weights are set by hand. The first asks for the place
before its own, the second for its own letter, and the third asks for nothing. Each token's value
is its own place, so the output of your `MultiHeadAttention` tells where it was taken from.
"""

word = "attention"
letters = sorted(set(word))
kinds = torch.eye(len(letters))[[letters.index(letter) for letter in word]]  # 9 6
places = torch.eye(len(word))  # 9 9
tokens = torch.cat([kinds, places], dim=1)[None]  # 1 9 15

with grader.trying():
    attention = MultiHeadAttention(15, 27, context_length=9, dropout=0.0, num_heads=3)
    with torch.no_grad():
        for layer in (attention.W_query, attention.W_key, attention.W_value):
            layer.weight.zero_()
        attention.W_query.weight[0:9, 6:15] = 12 * torch.eye(9).roll(-1, dims=0)
        attention.W_query.weight[0, 6] = attention.W_query.weight[8, 6] = 0.0
        attention.W_key.weight[0:9, 6:15] = torch.eye(9)
        attention.W_query.weight[9:15, 0:6] = 12 * torch.eye(6)
        attention.W_key.weight[9:15, 0:6] = torch.eye(6)
        attention.W_value.weight[:, 6:15] = torch.eye(9).repeat(3, 1)
        attention.out_proj.weight.copy_(torch.eye(27))
        attention.out_proj.bias.zero_()
        looked_at = attention(tokens)[0].reshape(9, 3, 9)  # query head key
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.3))
    titles = ("head 0: the letter before", "head 1: the same letter", "head 2: a bit of everything")
    for head, title in enumerate(titles):
        image = heat_map(axes[head], looked_at[:, head], title, word, word, most=1)
    axes[0].set_ylabel("letter that looks")
    figure.colorbar(image, ax=axes, label="weight", shrink=0.8)

"""**Think.** Could one head alone do what the first two do? Try it: what would its rows look like?
The third head has learned nothing, and still its rows differ. Why?
"""

"""## Reading another text

Your `CrossAttention` learns to read backwards, in a few seconds: at each place it must say which
letter stands at the *other* end. Nobody tells it where to look.
"""

steps = 150
torch.manual_seed(0)

with grader.trying():
    cross = CrossAttention(query_dim=8, memory_dim=14, emb_size=24, num_heads=2)
    to_letters = nn.Linear(24, 6)
    training = [*cross.parameters(), *to_letters.parameters()]
    optimiser = torch.optim.Adam(training, lr=0.02)
    where = torch.eye(8)
    for _ in range(steps):
        text = torch.randint(6, (64, 8))
        memory = torch.cat([nn.functional.one_hot(text, 6), where.expand(64, 8, 8)], dim=2)
        guessed = to_letters(cross(where.expand(64, 8, 8), memory))
        loss = nn.functional.cross_entropy(guessed.flatten(0, 1), text.flip(1).flatten())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    felt = torch.zeros(8, 8)
    for other in range(8):
        changed = memory.clone()
        changed[:, other, :6] = 1 - changed[:, other, :6]
        difference = to_letters(cross(where.expand(64, 8, 8), changed)) - guessed
        felt[:, other] = difference.norm(dim=-1).mean(dim=0)
    print(f"right after {steps} steps: {(guessed.argmax(-1) == text.flip(1)).float().mean():.0%}")
    figure, axes = plt.subplots(figsize=(4.4, 3.6))
    image = heat_map(
        axes, felt, "what each answer depends on", range(8), range(8), colours="Oranges"
    )
    axes.set_xlabel("place in the memory that was changed")
    axes.set_ylabel("answer")
    figure.colorbar(image)

"""**Think.** The queries hold nothing but a place. Which of the four linear maps has learned that
0 belongs to 7? What would happen if the memory held the letters alone, without their places?
"""
