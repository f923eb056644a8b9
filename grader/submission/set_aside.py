"""Recognise files that no submission needs and that Python or pytest would treat specially.

They are not sent to a worker. Even if they cannot fool our own loading, they could fool the
student's own runs: so each one is named, with what to do about it.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from ..text.language import _

RUN_UNASKED = frozenset({"conftest.py", "sitecustomize.py", "usercustomize.py"})
SETTINGS = frozenset({"pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"})
RUBRIC = "rubric.yaml"
COMPILED = (".pyc", ".pyo", ".pyd", ".so", ".dll", ".dylib")
STACK = frozenset(
    {"torch", "torchgen", "functorch", "numpy", "einops", "pytest", "_pytest", "pluggy"}
    | {"sympy", "mpmath", "networkx", "jinja2", "markupsafe", "filelock", "fsspec"}
    | {"typing_extensions", "grader"}
)
"""Modules that a student's file must not hide."""


def why_set_aside(name: str) -> str | None:
    """Return why a file is set aside and what the student can do; None for any other file.

    >>> why_set_aside("part/conftest.py")
    'is set aside: pytest or Python would run it unasked. Rename it if your code imports it.'
    """
    path = PurePosixPath(name.casefold())
    if path.name in RUN_UNASKED:
        return _(
            "is set aside: pytest or Python would run it unasked. "
            "Rename it if your code imports it."
        )
    if path.suffix == ".pth":
        return _("is set aside: it changes what Python imports. Nothing to do if it is not yours.")
    if path.name in SETTINGS:
        return _("is set aside: settings of a project have no effect on grading. It may stay.")
    if path.name == RUBRIC:
        return _("is set aside: a submission is never graded by its own course. It may stay.")
    if path.suffix in COMPILED:
        return _("is set aside: only source is graded. Hand in the .py file that it was made from.")
    module = path.parent.name if path.stem == "__init__" else path.stem
    if path.suffix == ".py" and module in STACK:
        return _(
            "is set aside: a file of this name hides the real {module}. Rename it, for "
            "instance to my_{module}.py, and change your imports.",
            module=module,
        )
    return None
