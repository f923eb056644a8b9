"""`notebooks` in a rubric: what the course was made from, and what came of each.

notebooks:
  "002": {title: Attention step by step, teaches: [a1.softmax, a1.why_scale]}
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from grader.follow_through import SLUG
from grader.problem import Trail, did_you_mean, quoted
from grader.schema import Form, listing, record, required, table, text


@dataclass(frozen=True)
class CourseNotebook:
    """One notebook that the course was made from."""

    name: str
    title: str
    teaches: tuple[str, ...]
    """Slugs of exercises and of written items."""


def course_notebooks() -> Form[dict[str, CourseNotebook]]:
    """A table of notebooks by name."""
    slug = text("an exercise or a written item, such as 'a1.sums'", SLUG)
    notebook = record(
        CourseNotebook,
        title=required(text("a title")),
        teaches=required(listing(slug, at_least_one="exercise")),
    )
    return table('a name, such as "000",', r"[\w.-]+", notebook, at_least_one="notebook")


def notebook_problems(
    notebooks: Mapping[str, CourseNotebook], slugs: Collection[str]
) -> Iterator[tuple[Trail, str]]:
    """Whatever a notebook teaches is there."""
    for name, notebook in notebooks.items():
        for index, slug in enumerate(notebook.teaches):
            if slug and slug not in slugs:
                hint = did_you_mean(slug, slugs)
                trail = ("notebooks", name, "teaches", index)
                yield trail, f"unknown exercise {quoted(slug)}{hint}"
