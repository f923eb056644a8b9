"""Other right ways to write a6.training_step."""


# %% loss.gathered
def next_token_loss(model, tokens):
    answers = tokens[:, 1:]
    real = answers != -1
    known = tokens[:, :-1].masked_fill(tokens[:, :-1] == -1, 0)
    shares = model(known).log_softmax(dim=-1)
    picked = shares.gather(2, answers.clamp_min(0).unsqueeze(2)).squeeze(2)
    return -(picked * real).sum() / real.sum()


# %% loss.all_places_run
def next_token_loss(model, tokens):
    filled = torch.where(tokens < 0, torch.zeros_like(tokens), tokens)
    logits = model(filled)[:, :-1].transpose(1, 2)
    return nn.CrossEntropyLoss(ignore_index=-1)(logits, tokens[:, 1:])


# %% loss.in_single_precision
def next_token_loss(model, tokens):
    logits = model(tokens.clamp(min=0)).float()  # as several libraries have it, against overflow
    answers = tokens[:, 1:].masked_fill(tokens[:, 1:] == -1, -100)
    return nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), answers.flatten())


# %% loss.answers_picked_first
def next_token_loss(model, tokens):
    inputs, wanted = tokens[:, :-1].clone(), tokens[:, 1:]
    inputs[inputs < 0] = 1
    logits = model(inputs)
    here = wanted >= 0
    logits = logits[here]
    right = logits[torch.arange(len(logits)), wanted[here]]
    return (logits.logsumexp(-1) - right).mean()


# %% rate.one_formula
def learning_rate(step, peak, warmup, steps):
    ramp = min(1.0, (step + 1) / max(1, warmup))
    share = min(1.0, max(0.0, (step - warmup) / (steps - warmup)))
    return float(peak * ramp * math.cos(math.pi * share / 2) ** 2)


# %% rate.by_torch
def learning_rate(step, peak, warmup, steps):
    if step < warmup:
        return float(torch.linspace(0, peak, warmup + 1, dtype=torch.float64)[step + 1])
    done = torch.tensor(min(step, steps) - warmup, dtype=torch.float64)
    return (0.5 * peak * (1.0 + torch.cos(torch.pi * done / (steps - warmup)))).item()


# %% step.clipped_by_hand
def training_step(model, optimiser, tokens, rate, max_norm=1.0):
    for parameter in model.parameters():
        parameter.grad = None
    model.train(True)
    for group in optimiser.param_groups:
        group.update(lr=rate)
    loss = next_token_loss(model, tokens)
    loss.backward()
    grads = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    length = torch.cat([grad.flatten() for grad in grads]).norm()
    if length > max_norm:
        for grad in grads:
            grad.mul_(max_norm / length)
    optimiser.step()
    return float(loss)


# %% step.gradients_cleared_at_the_end
def training_step(model, optimiser, tokens, rate, max_norm=1.0):
    model.train()
    loss = next_token_loss(model, tokens)
    loss.backward()
    everything = [p for group in optimiser.param_groups for p in group["params"]]
    torch.nn.utils.clip_grad_norm_(everything, max_norm=max_norm)
    for group in optimiser.param_groups:
        group["lr"] = float(rate)
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return loss.detach().item()


# %% step.functional_gradients
def training_step(model, optimiser, tokens, rate, max_norm=1.0):
    model.train()
    learning = [p for p in model.parameters() if p.requires_grad]
    loss = next_token_loss(model, tokens)
    gradients = torch.autograd.grad(loss, learning)
    length = sum((g * g).sum() for g in gradients).sqrt()
    factor = min(1.0, max_norm / (float(length) + 1e-6))
    for parameter, gradient in zip(learning, gradients, strict=True):
        parameter.grad = gradient * factor
    for group in optimiser.param_groups:
        group["lr"] = rate
    optimiser.step()
    return loss.item()
