"""Mistakes that people make in assignment 5."""

from grader.misconceptions import Misconception

MISCONCEPTIONS = (
    # a5.positions
    Misconception(
        id="positions.exponent_i",
        mistakes=(92,),
        target="sinusoidal_positions",
        replace="(pair / dim)",
        by="(pair / 2 / dim)",
        fails=("outputs",),
        cause="The exponent is i / dim: it must be 2i / dim.",
    ),
    Misconception(
        id="positions.exponent_up_to_1",
        mistakes=(92,),
        target="sinusoidal_positions",
        replace="(pair / dim)",
        by="(pair / max(dim - 2, 1))",
        fails=("outputs",),
        cause="The frequencies are spread from exponent 0 to exactly 1: divide by dim.",
    ),
    Misconception(
        id="positions.exponent_column",
        mistakes=(92,),
        target="sinusoidal_positions",
        replace="torch.arange(0, dim, 2, dtype=torch.float64)",
        by="torch.arange(0, dim, 2, dtype=torch.float64) * 2",
        fails=("outputs",),
        cause="The exponent is 4i / dim: the column number is doubled once too often.",
    ),
    Misconception(
        id="positions.sines_first",
        mistakes=(92,),
        target="sinusoidal_positions",
        replace="torch.stack([angle.sin(), angle.cos()], dim=-1)",
        by="torch.cat([angle.sin(), angle.cos()], dim=-1)",
        fails=("outputs",),
        cause="All sines stand before all cosines: they must alternate.",
    ),
    Misconception(
        id="positions.cosine_first",
        mistakes=(92,),
        target="sinusoidal_positions",
        replace="[angle.sin(), angle.cos()]",
        by="[angle.cos(), angle.sin()]",
        fails=("outputs",),
        cause="Even columns are cosines: position 0 must be 0, 1, 0, 1, …",
    ),
    Misconception(
        id="positions.from_1",
        mistakes=(111,),
        target="sinusoidal_positions",
        replace="torch.arange(T, dtype=torch.float64)",
        by="torch.arange(1, T + 1, dtype=torch.float64)",
        fails=("outputs",),
        cause="Positions are counted from 1: the first row belongs to position 0.",
    ),
    Misconception(
        id="positions.sines_alone",
        mistakes=(92,),
        target="sinusoidal_positions",
        replace="[angle.sin(), angle.cos()]",
        by="[angle.sin()]",
        fails=("shapes", "outputs"),
        cause="There are only sines: each frequency has a sine and a cosine.",
    ),
    Misconception(
        id="positions.odd_width_accepted",
        mistakes=(),
        target="sinusoidal_positions",
        replace="if dim % 2 != 0:",
        by="if False:",
        fails=("shapes",),
        cause="An odd width must raise a ValueError.",
    ),
    Misconception(
        id="positions.float32_table",
        mistakes=(80,),
        target="sinusoidal_positions",
        replace=".to(torch.get_default_dtype())",
        by=".to(torch.float32)",
        fails=("numerics",),
        cause="float32 is written down: the table has torch's default dtype.",
    ),
    Misconception(
        id="positions.float64_table",
        mistakes=(80,),
        target="sinusoidal_positions",
        replace=".to(torch.get_default_dtype())",
        by="",
        fails=("numerics",),
        cause="The table stays float64, and makes everything float64 that it is added to.",
    ),
    Misconception(
        id="rope.halves",
        mistakes=(110,),
        target="apply_rope",
        replace="first, second = x[..., 0::2], x[..., 1::2]  # B H T Dh/2\n"
        "    turned = [first * cos - second * sin, first * sin + second * cos]\n"
        "    return torch.stack(turned, dim=-1).flatten(-2)",
        by="first, second = x.chunk(2, dim=-1)\n"
        "    turned = [first * cos - second * sin, first * sin + second * cos]\n"
        "    return torch.cat(turned, dim=-1)",
        fails=("outputs",),
        cause="Feature i is paired with feature i + Dh/2: here neighbours are a pair.",
    ),
    Misconception(
        id="rope.layouts_mixed",
        mistakes=(110,),
        target="apply_rope",
        replace="    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)\n"
        "    first, second = x[..., 0::2], x[..., 1::2]  # B H T Dh/2\n"
        "    turned = [first * cos - second * sin, first * sin + second * cos]\n"
        "    return torch.stack(turned, dim=-1).flatten(-2)  # B H T Dh",
        by="    angle = angle.repeat_interleave(2, dim=-1)\n"
        "    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)\n"
        "    first, second = x.chunk(2, dim=-1)\n"
        "    return x * cos + torch.cat([-second, first], dim=-1) * sin",
        fails=("outputs", "relative"),
        cause="Pairs are halves, (i, i + Dh/2), but the angles are laid out for neighbours.",
    ),
    Misconception(
        id="rope.turned_back",
        mistakes=(),
        target="apply_rope",
        replace="[first * cos - second * sin, first * sin + second * cos]",
        by="[first * cos + second * sin, second * cos - first * sin]",
        fails=("outputs",),
        cause="Features are turned by the negative angle: the signs of the sines are exchanged.",
    ),
    Misconception(
        id="rope.wrong_sign",
        mistakes=(),
        target="apply_rope",
        replace="first * cos - second * sin",
        by="first * cos + second * sin",
        fails=("outputs", "relative"),
        cause="Both sines are added: that is no turn, and lengths change.",
    ),
    Misconception(
        id="rope.input_of_the_second_already_turned",
        mistakes=(),
        target="apply_rope",
        replace="    turned = [first * cos - second * sin, first * sin + second * cos]",
        by="    first = first * cos - second * sin\n"
        "    turned = [first, first * sin + second * cos]",
        fails=("outputs", "relative"),
        cause="The second feature is computed from the first one after that was turned.",
    ),
    Misconception(
        id="rope.from_1",
        mistakes=(111,),
        target="apply_rope",
        replace="positions.to(torch.float64)",
        by="(positions + 1).to(torch.float64)",
        fails=("outputs", "relative"),
        cause="Positions are counted from 1: position 0 must turn nothing.",
    ),
    Misconception(
        id="rope.positions_ignored",
        mistakes=(108,),
        target="apply_rope",
        replace="positions.to(torch.float64)",
        by="torch.arange(x.shape[2], dtype=torch.float64)",
        fails=("outputs", "relative"),
        cause="Tokens are counted from 0 in every call, whatever `positions` says.",
    ),
    Misconception(
        id="rope.positions_of_the_heads",
        mistakes=(111,),
        target="apply_rope",
        replace="    return torch.stack(turned, dim=-1).flatten(-2)",
        by="    plain = x.transpose(1, 2).flatten(2)\n"
        "    half = torch.arange(0, plain.shape[-1], 2, dtype=torch.float64)\n"
        "    angle = positions.to(torch.float64)[:, None] * base ** (-half / plain.shape[-1])\n"
        "    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)\n"
        "    first, second = plain[..., 0::2], plain[..., 1::2]\n"
        "    turned = [first * cos - second * sin, first * sin + second * cos]\n"
        "    plain = torch.stack(turned, dim=-1).flatten(-2)\n"
        "    return plain.unflatten(-1, (x.shape[1], -1)).transpose(1, 2)",
        fails=("outputs",),
        cause="The frequencies run over all heads: each head has those of its own width.",
    ),
    Misconception(
        id="rope.pairs_left_apart",
        mistakes=(110,),
        target="apply_rope",
        replace="torch.stack(turned, dim=-1).flatten(-2)",
        by="torch.stack(turned, dim=-1)",
        fails=("shapes", "outputs"),
        cause="The pairs are left on an axis of their own: flatten them again.",
    ),
    Misconception(
        id="rope.exponent_i",
        mistakes=(92,),
        target="apply_rope",
        replace="(-half / x.shape[-1])",
        by="(-half / 2 / x.shape[-1])",
        fails=("outputs",),
        cause="The exponent is i / Dh: it must be 2i / Dh.",
    ),
    Misconception(
        id="rope.base_written_down",
        mistakes=(80,),
        target="apply_rope",
        replace="base **",
        by="10000.0 **",
        fails=("outputs",),
        cause="The base is a constant: use the argument.",
    ),
    Misconception(
        id="rope.angles_in_the_dtype_of_x",
        mistakes=(80,),
        target="apply_rope",
        replace="positions.to(torch.float64)[:, None] * frequency",
        by="positions.to(x.dtype)[:, None] * frequency.to(x.dtype)",
        fails=("numerics",),
        cause="Angles are computed in half precision, which cannot count that far.",
    ),
    Misconception(
        id="rope.result_in_float64",
        mistakes=(80,),
        target="apply_rope",
        replace="angle.cos().to(x.dtype), angle.sin().to(x.dtype)",
        by="angle.cos(), angle.sin()",
        fails=("numerics",),
        cause="Sines and cosines are float64, and so is the result, whatever x is.",
    ),
    Misconception(
        id="rope.view_of_memory_not_in_order",
        mistakes=(57,),
        target="apply_rope",
        replace="first, second = x[..., 0::2], x[..., 1::2]",
        by="first, second = x.view(*x.shape[:2], -1).unflatten(-1, (-1, x.shape[-1] // 2, 2))"
        ".unbind(-1)",
        fails=("shapes",),
        cause="`view` needs memory in order, which heads that were transposed do not have.",
    ),
    Misconception(
        id="rope.no_gradient",
        mistakes=(77,),
        target="apply_rope",
        replace="x[..., 0::2], x[..., 1::2]",
        by="x[..., 0::2].detach(), x[..., 1::2].detach()",
        fails=("gradients",),
        cause="`detach` keeps the gradient from the input.",
    ),
    Misconception(
        id="rope.input_changed",
        mistakes=(76,),
        target="apply_rope",
        replace="    return torch.stack(turned, dim=-1).flatten(-2)",
        by="    x = x if x.is_leaf and not x.requires_grad else x.clone()\n"
        "    x[..., 0::2], x[..., 1::2] = turned\n    return x",
        fails=("state",),
        cause="The caller's tensor is turned in place.",
    ),
)
