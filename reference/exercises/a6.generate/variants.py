"""Other right ways to write a6.generate."""


# %% generate.rows_in_a_list
@torch.no_grad()
def generate(model, tokens, choose, context_length, end_token=None):
    if tokens.size(1) > context_length:
        raise ValueError("%d > %d" % (tokens.size(1), context_length))
    alive = [True] * tokens.size(0)
    for _ in range(context_length - tokens.size(1)):
        logits = model(tokens)[:, -1, :]
        row = choose(logits).tolist()
        for i, token in enumerate(row):
            if not alive[i]:
                row[i] = end_token
            elif end_token is not None and token == end_token:
                alive[i] = False
        new = torch.tensor(row, dtype=tokens.dtype, device=tokens.device)
        tokens = torch.cat((tokens, new.unsqueeze(1)), dim=1)
        if not any(alive):
            break
    return tokens


# %% generate.room_prepared
def generate(model, tokens, choose, context_length, end_token=None):
    B, T = tokens.shape
    if T > context_length:
        raise ValueError(f"{T=} is above {context_length=}")
    text = torch.empty(B, context_length, dtype=tokens.dtype)
    text[:, :T] = tokens
    done = torch.zeros(B, dtype=torch.bool)
    while T < context_length and not bool(done.all()):
        with torch.inference_mode():
            new = choose(model(text[:, :T].clone())[:, T - 1])
        if end_token is not None:
            new = torch.where(done, torch.full_like(new, end_token), new)
            done = torch.logical_or(done, new.eq(end_token))
        text[:, T] = new
        T += 1
    return text[:, :T]


# %% cached.first_and_then
def generate_cached(prefill, step, tokens, choose, context_length, end_token=None):
    given = tokens.shape[1]
    if given > context_length:
        raise ValueError(f"the beginning has {given} tokens, and {context_length} is all there is")
    if given == context_length:
        return tokens
    written, ended = [tokens], torch.zeros(tokens.shape[0], dtype=torch.bool)
    with torch.no_grad():
        logits = prefill(tokens)
        for place in range(given, context_length):
            new = choose(logits[:, -1])
            if end_token is not None:
                new = torch.where(ended, end_token, new)
                ended |= new == end_token
            written.append(new.unsqueeze(-1).to(tokens.dtype))
            if ended.all() or place == context_length - 1:
                break
            logits = step(written[-1])
    return torch.cat(written, dim=1)


# %% cached.written_in_terms_of_generate
def generate_cached(prefill, step, tokens, choose, context_length, end_token=None):
    seen = 0

    def model(text):
        nonlocal seen
        new, function = text[:, seen:], step if seen else prefill
        seen = text.shape[1]
        return function(new)

    return generate(model, tokens, choose, context_length, end_token)
