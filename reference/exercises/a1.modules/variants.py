"""Other right ways to write a1.modules."""

# %% modules.einsum
# target: SelfAttentionV1.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    matrices = torch.stack([self.W_query, self.W_key, self.W_value])
    query, key, value = torch.einsum("...ti,rid->r...td", x, matrices)  # … T d_out
    scores = torch.einsum("...id,...jd->...ij", query, key) / query.shape[-1] ** 0.5  # … T T
    return torch.softmax(scores, dim=-1) @ value


# %% modules.calls_sdpa
# target: SelfAttentionV1.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    query, key, value = x @ self.W_query, x @ self.W_key, x @ self.W_value  # … T d_out
    output, _ = scaled_dot_product_attention(query, key, value)
    return output


# %% modules.stored_the_other_way
# earns: outputs, conversion, state, numerics, gradients
# Matrices of another shape than the hand-out asks for, and a copy that fits them.
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_out, d_in))
        self.W_key = nn.Parameter(torch.randn(d_out, d_in))
        self.W_value = nn.Parameter(torch.randn(d_out, d_in))

    def forward(self, x):
        query, key, value = x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return scores.softmax(-1) @ value


def copy_v2_to_v1(v2, v1):
    for name in ("W_query", "W_key", "W_value"):
        if getattr(v2, name).bias is not None:
            raise ValueError("biases")
        getattr(v1, name).data.copy_(getattr(v2, name).weight.data)


# %% modules.packed_matrix
# earns: outputs, conversion, state, numerics, gradients
class SelfAttentionV1(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_qkv = nn.Parameter(torch.randn(d_in, 3 * d_out))

    def forward(self, x):
        query, key, value = (x @ self.W_qkv).chunk(3, dim=-1)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return scores.softmax(-1) @ value


def copy_v2_to_v1(v2, v1):
    layers = v2.W_query, v2.W_key, v2.W_value
    if layers[0].bias is not None:
        raise ValueError("biases")
    v1.W_qkv.data = torch.cat([layer.weight.data.T for layer in layers], dim=1)


# %% modules.functional_linear
# target: SelfAttentionV2.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    layers = self.W_query, self.W_key, self.W_value
    query, key, value = (
        torch.nn.functional.linear(x, m.weight, m.bias) for m in layers
    )
    scores = query @ key.transpose(-2, -1) * query.shape[-1] ** -0.5  # … T T
    output: torch.Tensor = torch.softmax(scores, dim=-1) @ value
    return output


# %% modules.always_a_batch
# target: SelfAttentionV2.forward
def forward(self, x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 2:
        return self(x.unsqueeze(0)).squeeze(0)
    layers = self.W_query, self.W_key, self.W_value
    query, key, value = (layer(x) for layer in layers)
    scores = torch.bmm(query / query.shape[-1] ** 0.5, key.transpose(1, 2))  # … T T
    output: torch.Tensor = torch.softmax(scores, dim=-1) @ value
    return output


# %% modules.new_parameters
def copy_v2_to_v1(v2: SelfAttentionV2, v1: SelfAttentionV1) -> None:
    names = ("W_query", "W_key", "W_value")
    if any(getattr(v2, name).bias is not None for name in names):
        raise ValueError("SelfAttentionV1 has no place for the biases of SelfAttentionV2")
    with torch.no_grad():
        for name in names:
            setattr(v1, name, nn.Parameter(getattr(v2, name).weight.T.clone()))  # d_in d_out


# %% modules.by_state_dict
def copy_v2_to_v1(v2, v1):
    state = v2.state_dict()
    if len(state) != 3:
        raise ValueError(f"{len(state)} tensors do not fit into 3 matrices")
    v1.load_state_dict({name.split(".")[0]: tensor.T for name, tensor in state.items()})


# %% modules.by_data
def copy_v2_to_v1(v2, v1):
    if v2.W_query.bias is not None:
        raise ValueError("a bias has no place in V1")
    v1.W_query.data = v2.W_query.weight.detach().t().contiguous()
    v1.W_key.data[:] = v2.W_key.weight.data.t()
    v1.W_value.data = torch.einsum("oi->io", v2.W_value.weight.data).clone()
