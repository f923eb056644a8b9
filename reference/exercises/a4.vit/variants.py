"""Other right ways to write a4.vit."""

# %% vit.class_token_last_and_read_there
# target: ViT.forward
def forward(self, images):
    patches = self.embeddings.patch_embedding(images)
    cls = self.embeddings.cls_token.expand(len(images), -1, -1)
    tokens = self.encoder(torch.cat([patches, cls], dim=1) + self.embeddings.positions)
    if self.head.pool == "cls":
        return self.head.linear(tokens[:, -1])
    return self.head.linear(tokens[:, :-1].mean(1))


# %% vit.count_with_a_loop
def count_parameters(module):
    seen, total = set(), 0
    for parameter in module.parameters():
        if id(parameter) not in seen:
            seen.add(id(parameter))
            total += int(torch.tensor(parameter.shape).prod())
    return total
