"""All programs of the second set, and the exercises whose functions need no weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.restyled.anew import probes
from tests.restyled.anew.held_out_functions import HELD_OUT_FUNCTIONS
from tests.restyled.anew.held_out_modules import HELD_OUT_MODULES
from tests.restyled.anew.held_out_vision import HELD_OUT_VISION
from tests.restyled.anew.module_probes import of_modules
from tests.restyled.anew.oracles import Names, Seen, agrees, names_of
from tests.restyled.anew.tuned_blocks import TUNED_BLOCKS
from tests.restyled.anew.tuned_functions import TUNED_FUNCTIONS
from tests.restyled.anew.tuned_modules import TUNED_MODULES
from tests.restyled.by_hand import Program

TUNED = (*TUNED_FUNCTIONS, *TUNED_MODULES, *TUNED_BLOCKS)
HELD_OUT = (*HELD_OUT_FUNCTIONS, *HELD_OUT_MODULES, *HELD_OUT_VISION)
PROBED: Mapping[str, tuple[Callable[[Names], Seen], Callable[[Names], Seen]]] = {
    "a1.sdpa": (probes.of_sdpa, probes.sdpa_of_torch),
    "a1.softmax": (probes.of_softmax, probes.softmax_of_torch),
    "a2.masked_softmax": (probes.of_masked, probes.masked_of_torch),
    "a2.dropout": (probes.of_dropout, probes.dropout_of_torch),
    "a3.heads": (probes.of_heads, probes.heads_of_torch),
    "a4.patch_embedding": (probes.of_patches, probes.patches_of_torch),
    "a5.positions": (probes.of_positions, probes.positions_of_torch),
    "a5.online": (probes.of_online, probes.online_of_torch),
}
"""Exercise -> the probes, and torch's answers to them."""


def answers(slug: str, names: Names, right: Names) -> Seen:
    """Return all that a program does on the probes of its exercise."""
    return PROBED[slug][0](names) if slug in PROBED else of_modules(slug, names, right)


def unproven(program: Program) -> list[str]:
    """Return what the oracle does not confirm: the program if it is wrong, its edits if right."""
    slug, right = program.slug, names_of(program.source)
    wanted = answers(slug, right, right)
    doubts = []
    if slug in PROBED and not agrees(wanted, PROBED[slug][1](right)):
        doubts.append(f"{slug}, {program.style}: is not right")
    for mistake, text, by in program.mistakes:
        assert program.source.count(text) == 1, (program.style, mistake)
        if agrees(wanted, answers(slug, names_of(program.source.replace(text, by)), right)):
            doubts.append(f"{slug}, {program.style}: {mistake} is not wrong")
    return doubts
