"""## What the knobs do

The same eight logits, and what your `sampling_probabilities` makes of them.
"""

with grader.trying():
    logits = torch.tensor([2.0, 1.6, 1.1, 0.5, 0.0, -0.5, -1.2, -2.0])
    settings = {
        "as they are": {},
        "temperature 0.4": {"temperature": 0.4},
        "temperature 2.5": {"temperature": 2.5},
        "top_k 3": {"top_k": 3},
        "top_p 0.6": {"top_p": 0.6},
    }
    rows = {title: sampling_probabilities(logits, **knobs) for title, knobs in settings.items()}
    figure, axes = plt.subplots(1, 5, figsize=(10, 2.4), sharey=True)
    for place, (title, row) in zip(axes, rows.items(), strict=True):
        place.bar(range(8), row, color="tab:blue")
        place.set(title=title, xlabel="token", xticks=range(8), ylim=(0, 1))
    axes[0].set_ylabel("probability")

"""**Think.** Two of the five pictures cut tokens off. Which of the two keeps fewer of them as soon
as the model is very sure of its first one? And which keeps more if it has no idea at all?
"""

"""## A text with a memory

The text is by nobody: these rules write as many lines as we like, in two languages. Two people
have two things, and the second sentence asks back for one of them. Its owner stands far to the
left, where a model of pairs of letters cannot look.
"""

import math

WORDS = (
    ("mina,jun,ara,leo,sora", "미나,준,아라,레오,소라"),
    ("red,blue,green,white,black", "빨간,파란,초록,하얀,검은"),
    ("kite,boat,hat,drum,bag", "연,배,모자,북,가방"),
)
LINES = (
    "{0} has a {2} {4}, {1} a {3} {5}. the {6} {7} is for {8}.\n",
    "{0}에게 {2} {4}, {1}에게 {3} {5}. {6} {7}의 주인은 {8}.\n",
)


def written_lines(count, seed):
    """Return that many lines, drawn by rule."""
    generator = torch.Generator().manual_seed(seed)
    lines = []
    for language in torch.randint(2, (count,), generator=generator).tolist():
        drawn = []
        for words in WORDS:
            first, second = torch.randperm(5, generator=generator)[:2]
            names = words[language].split(",")
            drawn += names[first], names[second]
        who = torch.randint(2, (1,), generator=generator).item()
        lines.append(LINES[language].format(*drawn, *drawn[2 + who :: 2], drawn[who]))
    return lines


def as_tokens(lines, number, length):
    """Return the lines as rows (lines, length) of tokens, filled up with -1."""
    rows = torch.full((len(lines), length), -1)
    for row, line in zip(rows, lines, strict=True):
        row[: len(line)] = torch.tensor([number[letter] for letter in line])
    return rows


lines, new_lines = written_lines(3000, seed=0), written_lines(300, seed=1)
alphabet = sorted(set("".join(lines)))
number = {letter: place for place, letter in enumerate(alphabet)}
longest = max(len(line) for line in lines + new_lines)
text, new_text = (as_tokens(each, number, longest) for each in (lines, new_lines))

size = len(alphabet)
pairs = (text[:, :-1] * size + text[:, 1:])[text[:, 1:] >= 0]
counts = 1.0 + torch.bincount(pairs, minlength=size**2).reshape(size, size)
table = (counts / counts.sum(dim=1, keepdim=True)).log().flatten()
bigram = -table[(new_text[:, :-1] * size + new_text[:, 1:])[new_text[:, 1:] >= 0]].mean()

# What is drawn after the first letter: 4 people, 20 pairs of colours and of things, 2 ends.
chance = math.log(4 * 20 * 20 * 2) / (sum(map(len, lines)) / len(lines) - 1)

print("".join(lines[:4]))
print(f"{size} letters, at most {longest} in a line")
print(f"loss of the best guess from one letter before: {bigram:.3f}")
print(f"loss of a guess that knows the rules: {chance:.3f}")

"""**Think.** Why does the table of pairs begin with ones instead of zeros? Which letters of a line
can it guess well, and which can nobody guess?
"""

"""## Train it, and let it write

Your `training_step` trains your `LanguageModel`, at the rates of your `learning_rate`. Its
attention looks back 32 letters in each of its two layers, and a line has up to 70. The loss in
the picture is that of lines which the model has never seen. Then it goes on from two beginnings,
at three temperatures, with your `generate_cached` and your `sample`. It takes about a minute.
"""

from functools import partial

steps = 1200
peak = 5e-3
torch.manual_seed(0)

with grader.trying():
    model = LanguageModel(size, 64, depth=2, num_heads=4, num_kv_heads=2, window=32)
    optimiser = torch.optim.AdamW(model.parameters(), lr=peak)
    curve = {}
    for step in range(steps):
        rows = text[torch.randint(len(text), (32,))]
        training_step(model, optimiser, rows, learning_rate(step, peak, 50, steps))
        if step % 50 == 0 or step == steps - 1:
            with torch.no_grad():
                curve[step + 1] = next_token_loss(model, new_text).item()
    print(f"loss {curve[steps]:.3f} on new lines, and {bigram:.3f} from pairs of letters")
    generator = torch.Generator().manual_seed(0)
    for beginning in ("leo has a red hat, ara", "미나에게 파란 배, 준"):
        start = as_tokens([beginning], number, len(beginning))
        for temperature in (0.0, 0.8, 2.0):
            written = generate_cached(
                model.prefill,
                model.step,
                start,
                partial(sample, temperature=temperature, generator=generator),
                longest,
                number["\n"],
            )
            letters = "".join(alphabet[token] for token in written[0].tolist())
            print(f"temperature {temperature}: {letters.strip()}")
    figure, axes = plt.subplots(figsize=(6, 3.2))
    axes.plot(curve.keys(), curve.values(), "o-", color="tab:blue", label="your model")
    axes.axhline(bigram, color="tab:red", linestyle="--", label="pairs of letters")
    axes.axhline(chance, color="gray", linestyle=":", label="who knows the rules")
    axes.set(title="loss on lines it has never seen", xlabel="step", ylim=(0, 1.6))
    axes.legend()

"""**Think.** Where does the curve stop falling fast, and what has the model learned by then? Look
at the owner in the last sentence at temperature 0: is it always right, and which tokens would its
attention have to look at to know? And why does the curve not reach 0, however long you train?
"""

"""## A text that people wrote

Now the same functions meet real texts: the Constitution of the Republic of Korea, and half of the
sonnets of Shakespeare. Each syllable and each letter is a token. The last tenth of each text is
kept back: neither the table of pairs nor your model may learn from it. The table is a model as
well, if a poor one, and so your `next_token_loss` measures both.
"""

NAMES = "constitution", "sonnets"

with grader.trying():
    texts = [grader.data_file(f"{name}.txt").read_text("utf-8") for name in NAMES]
    symbols = sorted(set("".join(texts)))
    place_of = {symbol: place for place, symbol in enumerate(symbols)}
    tokens = [torch.tensor([place_of[symbol] for symbol in each]) for each in texts]
    learned = [each[: len(each) * 9 // 10] for each in tokens]
    kept = [each[len(each) * 9 // 10 :].unfold(0, 257, 256) for each in tokens]  # rows of 257

    total = len(symbols)
    counts = torch.ones(total, total)
    for each in learned:
        pairs = torch.bincount(each[:-1] * total + each[1:], minlength=total**2)
        counts += pairs.view(total, total)
    table = (counts / counts.sum(dim=1, keepdim=True)).log()
    of_pairs = [next_token_loss(table.__getitem__, rows).item() for rows in kept]
    for each, loss in zip(texts, of_pairs, strict=True):
        print(f"{each[:120]}\n... {len(each)} tokens, loss of the table of pairs: {loss:.3f}\n")

"""**Think.** The table of pairs does far worse in Korean than in English. Count how many different
tokens each text has, and how often each one occurs: is Korean harder, or is it something else?
"""

"""## Train it on both, and let it write

A new model, twice as wide, learns from both texts at once: half of the rows of each batch are from
one, half from the other. Then it goes on from a beginning in each language. It takes a minute or
two.
"""

steps = 700
torch.manual_seed(0)


def batch():
    """Return 8 stretches of 65 tokens from each text, (16, 65)."""
    starts = [torch.randint(len(each) - 65, (8, 1)) + torch.arange(65) for each in learned]
    return torch.cat([each[places] for each, places in zip(learned, starts, strict=True)])


with grader.trying():
    reader = LanguageModel(total, 128, depth=2, num_heads=4, num_kv_heads=2, window=32)
    optimiser = torch.optim.AdamW(reader.parameters(), lr=2e-3, weight_decay=1.0)
    curves = {}
    for step in range(steps):
        training_step(reader, optimiser, batch(), learning_rate(step, 2e-3, 50, steps))
        if step % 50 == 0 or step == steps - 1:
            with torch.no_grad():
                curves[step + 1] = [next_token_loss(reader, rows).item() for rows in kept]
    generator = torch.Generator().manual_seed(0)
    for number, beginning in enumerate(("국회는 ", "My love is ")):
        print(f"{NAMES[number]}: {curves[steps][number]:.3f}, pairs {of_pairs[number]:.3f}")
        start = torch.tensor([[place_of[symbol] for symbol in beginning]])
        for temperature in (0.0, 0.6, 1.0):
            written = generate_cached(
                reader.prefill,
                reader.step,
                start,
                partial(sample, temperature=temperature, generator=generator),
                160,
            )
            print(f"--- temperature {temperature}")
            print("".join(symbols[token] for token in written[0].tolist()))
    figure, axes = plt.subplots(figsize=(6, 3.2))
    for name, colour, falling, pairs in zip(
        NAMES, ("tab:blue", "tab:orange"), zip(*curves.values(), strict=True), of_pairs, strict=True
    ):
        axes.plot(curves.keys(), falling, "o-", color=colour, label=f"your model, {name}")
        axes.axhline(pairs, color=colour, linestyle="--", label=f"pairs, {name}")
    axes.set(title="loss on what was kept back", xlabel="step", ylim=(0, 6.5))
    axes.legend()

"""**Think.** Print the loss of the last batch as well, what `training_step` returns. How far is it
below the mean of the two losses on what was kept back? What would you change first to bring them
together: the model, the number of steps, or the text?
"""
