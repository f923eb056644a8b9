"""Removals: each line of a module is taken out once, and the others stay where they are."""

from __future__ import annotations

from tools.removals import removals

SOURCE = '''"""A module."""
import re

NAMES = (
    "a",
    "b",  # why
)


class C:
    """A class."""

    size: int = 3
    """Its size."""

    def f(self, a):
        """Return."""
        if a:
            # why
            return g(
                a,
                NAMES,
            )
        for one in a:
            del one
'''


def test_statements_what_is_around_bodies_and_single_lines_are_taken_out() -> None:
    assert [(one.line, one.name) for one in removals(SOURCE)] == [
        (4, "module: without `NAMES = (`"),
        (4, 'module: without `"a",`'),
        (4, 'module: without `"b",  # why`'),
        (13, "C: without `size: int = 3`"),
        (18, "C.f: without `if a:` and its body"),
        (18, "C.f: without `if a:`"),
        (20, "C.f: without `return g(`"),
        (20, "C.f: without `a,`"),
        (20, "C.f: without `NAMES,`"),
        (24, "C.f: without `for one in a:` and its body"),
        (24, "C.f: without `for one in a:`"),
        (25, "C.f: without `del one`"),
    ]


def test_what_is_left_is_whole_and_where_it_was() -> None:
    texts = {one.name: one.text for one in removals(SOURCE)}

    assert len({*texts.values()}) == len(texts)
    for text in texts.values():
        compile(text, "module", "exec")
        assert text.count("\n") == SOURCE.count("\n")
    assert '"b",  # why' not in texts['module: without `"b",  # why`']
    around = SOURCE.replace("if a:", "if True:").replace("            # why\n", "\n")
    assert texts["C.f: without `if a:`"] == around
    body = texts["C.f: without `for one in a:` and its body"].splitlines()
    assert body[23:] == ["        pass", ""]
