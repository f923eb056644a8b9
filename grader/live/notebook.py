"""Give a notebook what its demos and its imports need: `grader.notebook()`, `grader.trying()`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.live.data import NoDataFileError
from grader.live.versions import versions
from grader.text.language import _, preferred_language, use_language

_DEMO = "# demo"


def notebook(kit: str = "") -> None:
    """Let `import` find the notebooks in this folder, as they were last saved.

    `kit`: the version of the grader in a student's kit, to say whether that one runs here, and
    with a torch that fits.
    """
    if Notebooks not in sys.meta_path:
        sys.meta_path.insert(0, Notebooks)
    if kit:
        use_language(preferred_language())
        print("\n".join(versions(kit)))


@contextmanager
def trying() -> Iterator[None]:
    """Name what is missing in one line: an exercise not written yet, or a file of data."""
    try:
        yield
    except NotImplementedError as missing:
        use_language(preferred_language())
        name = str(missing).partition(":")[0]
        print(
            _("Not yet: this needs {name}", name=name)
            if name
            else _("Not yet: this needs an exercise of yours")
        )
    except NoDataFileError as missing:
        print(missing)


class Notebooks:
    """Finds notebooks for `import`. Of a notebook and a script it takes the one changed last."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module's notebook is; None where there is none, or an older one."""
        file, script = Path(f"{name}.ipynb"), Path(f"{name}.py")
        if not file.is_file():
            return None
        if script.is_file() and script.stat().st_mtime >= file.stat().st_mtime:
            return None
        loader: Any = Notebooks
        return ModuleSpec(name, loader, origin=str(file))

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """Leave the module to Python."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Run the code cells of a notebook, without its demos."""
        from IPython import get_ipython

        shell: Any = get_ipython()
        file = Path(str(module.__spec__ and module.__spec__.origin))
        cells = json.loads(file.read_text("utf-8"))["cells"]
        for number, cell in enumerate(cells, start=1):
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and not source.startswith(_DEMO):
                python = shell.transform_cell(source) if shell else source
                exec(compile(python, f"{file} cell {number}", "exec"), module.__dict__)
