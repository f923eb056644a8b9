"""Write the first cell of a kit's notebooks, which installs the kit's own grader."""

from __future__ import annotations

import json

from ..text.language import _

FIRST = "first"
"""The id of the cell that a notebook begins with."""
_FIND = """\
from pathlib import Path

here = Path.cwd()
for kit in [here, *here.parents, *here.iterdir()]:
    wheel = kit / "wheel/{wheel}"
    if wheel.is_file():
        %pip install --quiet "{{wheel}}"
        if kit not in (here, *here.parents):
            %cd -q {{kit}}
        break"""
_BEGIN = """\
import grader

grader.notebook(kit="{version}")"""


def with_kit_cell(notebook: str, wheel: str, version: str) -> str:
    """Return a notebook whose first cell installs a wheel of the kit and checks versions.

    In Jupyter the notebook lies in the kit; in Colab the kit is unpacked beside it. Graded it is
    as before: the cell keeps its id and its mark. A notebook without that cell stays as it is.
    """
    content = json.loads(notebook)
    for cell in content["cells"]:
        if cell.get("id") == FIRST:
            cell["source"] = _source(wheel, version).splitlines(keepends=True)
            return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    return notebook


def _source(wheel: str, version: str) -> str:
    first = _("Run this first: it installs the grader of your kit and says whether versions fit.")
    missing = _("Is there no module `grader`? Then this notebook is not in your kit's folder.")
    colab = _(
        "In Colab: upload the kit as kit.zip (the folder sign on the left), run `!unzip -q "
        "kit.zip` in a new cell, and then this one."
    )
    return "\n".join(
        [
            "# demo",
            f"# {first}",
            _FIND.format(wheel=wheel),
            f"# {missing}",
            f"# {colab}",
            _BEGIN.format(version=version),
        ]
    )
