"""A table of which the student stores the first rows and the others in two parameters."""

from __future__ import annotations

import pytest

from grader.judge.bind import Cut, Group, Home, Layout, Roles
from grader.judge.calls.faults import CheckFailed
from grader.judge.checks.expect import Expect
from grader.judge.checks.probe import Probe
from grader.judge.reference.memo import Memo, Reference
from tests.support.clients import Definitions, local_client, student_of

HEAD = """
    import torch
    from torch import nn

    class Shelf(nn.Module):
        def __init__(self, rows, width):
            super().__init__()
"""
REFERENCE = (
    HEAD
    + """
            self.table = nn.Parameter(torch.zeros(rows, width))

        def forward(self, books):
            return books * self.table
"""
)
IN_TWO = (
    HEAD
    + """
            self.others = nn.Parameter(torch.zeros(rows - 2, width))
            self.first = nn.Parameter(torch.zeros(1, 2, width))

        def forward(self, books):
            return torch.cat([books[:2] * self.first[0], books[2:] * self.others])
"""
)
STUDENTS = {
    "in two": IN_TWO,
    "a parameter and an embedding": IN_TWO.replace(
        "nn.Parameter(torch.zeros(rows - 2, width))", "nn.Embedding(rows - 2, width)"
    ).replace("self.others])", "self.others.weight])"),
    "nameless and alike": IN_TWO.replace("self.others", "self.a").replace("self.first", "self.b"),
    "an embedding": HEAD
    + """
            self.table = nn.Embedding(rows, width)

        def forward(self, books):
            return books * self.table.weight
""",
}
SAYS = {
    "in two": "the first rows are a parameter of their own",
    "a parameter and an embedding": "the first rows are a parameter of their own",
    "nameless and alike": "the first rows are a parameter of their own",
    "an embedding": "Shelf has names of its own; taken table.weight as table",
}
TABLE = Group(
    name="table",
    axes="t d",
    roles=("table",),
    aliases={"table": ("table",), "front": ("first",), "back": ("others",)},
    homes={"Shelf": Home("t d", ("table",))},
    layouts=(Layout("t d", SAYS["in two"], raw=None, cut=Cut("t", 2, ("front", "back"))),),
)


ROLES = Roles((TABLE,))


def compared(source: str, roles: Roles = ROLES, rows: int = 5) -> list[str]:
    """The notes, if outputs and gradients agree."""
    client, module = local_client(source)
    _, truth = local_client(REFERENCE)
    memo = Memo()
    expect = Expect(client, memo, seed=1)
    student = student_of(client, Definitions(module))
    probe = Probe(2, student, Reference(truth, memo, roles), memo, client.known)
    pair = probe.pair("Shelf", rows, 3)
    expect.matches(pair.student, pair.reference, probe.randn(rows, 3))
    expect.gradients(pair.student, pair.reference, probe.randn(rows, 3))
    return probe.notes


@pytest.mark.parametrize("name", STUDENTS)
def test_it_is_as_right_and_is_told(name: str) -> None:
    assert SAYS[name] in compared(STUDENTS[name])


def test_two_parts_of_one_shape_go_by_their_names() -> None:
    assert compared(IN_TWO, rows=4) == [SAYS["in two"]]


def test_wrong_rows_stay_wrong() -> None:
    wrong = IN_TWO.replace("books[2:] * self.others", "books[2:] * self.others.flip(0)")
    assert wrong != IN_TWO
    with pytest.raises(CheckFailed):
        compared(wrong)


def test_a_course_that_does_not_cut_has_no_room() -> None:
    whole = Roles((Group(**{**vars(TABLE), "layouts": ()}),))
    with pytest.raises(CheckFailed, match="Shelf has no parameters for table"):
        compared(IN_TWO, whole)
    assert compared(REFERENCE, whole) == []


def test_a_cut_beside_a_bias_is_the_authors_fault() -> None:
    biased = """
    import torch
    from torch import nn

    class Shelf(nn.Module):
        def __init__(self, rows, width):
            super().__init__()
            self.table = nn.Linear(width, rows)

        def forward(self, books):
            return self.table(books)
"""
    group = Group(**{**vars(TABLE), "bias_axes": "t"})
    client, module = local_client(IN_TWO)
    _, truth = local_client(biased)
    student = student_of(client, Definitions(module))
    probe = Probe(2, student, Reference(truth, Memo(), Roles((group,))), Memo(), client.known)
    with pytest.raises(ValueError, match=r"does not hold every number exactly once"):
        probe.pair("Shelf", 5, 3)
