"""Serve the imports of student code: its own files from bytes, real modules, or stand-ins."""

from __future__ import annotations

import builtins
import difflib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ....text.language import _
from ..source.module_map import AVAILABLE, HAND_OUTS, ModuleLocation, ModuleMap, is_real
from ..source.statements import Script
from .notes import CodePlace, Notes
from .standins import Gate, Standin

_THIRD_PARTY = (
    "matplotlib PIL torchvision torchsummary torchinfo torchview torchviz torchaudio torchtext "
    "torchmetrics pandas sklearn scipy seaborn plotly bokeh altair tqdm IPython ipywidgets "
    "cv2 skimage imageio google kaggle wandb tensorboard tensorboardX timm transformers "
    "datasets tokenizers tiktoken nltk spacy requests lightning pytorch_lightning rich "
    "jaxtyping beartype pytest tabulate termcolor psutil torch_geometric import_ipynb nbimporter"
)
_KNOWN_ABSENT = frozenset(_THIRD_PARTY.split())
_OURS = frozenset({"grader", "reference", "tests"})


class Caller:
    """The module that an import statement stands in."""

    def __init__(self, path: str, folder: str, script: Script) -> None:
        self.path = path
        self.folder = folder
        self._guarded = script.guarded
        self._cells = {block.filename: block.cell for block in script.blocks}

    def handles(self, filename: str, line: int) -> bool:
        """Tell whether the module's own code handles a failure of the import in this line."""
        return (filename, line) in self._guarded

    def where(self, filename: str, line: int) -> CodePlace:
        """Return the place of an import in the submission."""
        return CodePlace(self.path, self._cells.get(filename), line)


class Importer:
    """Makes one `__import__` per student module, over one set of modules per submission."""

    def __init__(
        self,
        module_map: ModuleMap,
        notes: Notes,
        gate: Gate,
        run: Callable[[ModuleLocation], ModuleType],
    ) -> None:
        """Import nothing yet.

        `run` returns the module of a place, and executes its file first unless that has begun.
        """
        self._module_map = module_map
        self._notes = notes
        self._gate = gate
        self._places: dict[str, ModuleLocation] = {}
        self._real_import: Callable[..., Any] = builtins.__import__
        self._run = run

    def for_caller(self, caller: Caller) -> Callable[..., Any]:
        """Make the `__import__` for the builtins of one module."""

        def __import__(
            name: str,
            globals: Mapping[str, object] | None = None,
            locals: Mapping[str, object] | None = None,
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> Any:
            frame = sys._getframe(1)
            spot = (frame.f_code.co_filename, frame.f_lineno)
            if level:
                chain = self._module_map.find_relative(name, level, caller.folder)
                if chain is None:
                    dots = "." * level
                    raise ModuleNotFoundError(
                        _("there is no file for `{name}` in the submission", name=f"{dots}{name}"),
                        name=name,
                    )
                return self._own(chain, fromlist or (), chain[-1:])
            own = self._module_map.find(name, caller.folder)
            if own is not None:
                return self._own(own, fromlist or (), own[:1])
            if is_real(name):
                return self._real(name, fromlist, caller, spot)
            return self._absent(name, fromlist, caller, spot)

        return __import__

    def _own(
        self,
        chain: Sequence[ModuleLocation],
        fromlist: Sequence[str],
        result: Sequence[ModuleLocation],
    ) -> ModuleType:
        parent: ModuleType | None = None
        for place in chain:
            module = self._run(place)
            if parent is not None:
                self._attach(parent, place, module)
            parent = module
        if not fromlist:
            return self._run(result[0])
        assert parent is not None
        self._submodules(parent, chain[-1], fromlist)
        return parent

    def _attach(self, parent: ModuleType, place: ModuleLocation, module: ModuleType) -> None:
        tail = place.name.rpartition(".")[2]
        if parent.__dict__.get(tail) is not module:
            setattr(parent, tail, module)

    def _submodules(self, package: ModuleType, place: ModuleLocation, names: Sequence[str]) -> None:
        """Import the names of `from package import name` that are files of the package."""
        if place.folder is None:
            return
        if "*" in names:
            declared = package.__dict__.get("__all__", ())
            names = [*names, *(n for n in declared if isinstance(n, str))]
        for name in names:
            child = self._module_map.child(place, name) if name not in package.__dict__ else None
            if child is not None:
                self._attach(package, child, self._run(child))

    def _real(
        self, name: str, fromlist: Sequence[str] | None, caller: Caller, spot: tuple[str, int]
    ) -> Any:
        try:
            return self._real_import(name, None, None, fromlist or (), 0)
        except ModuleNotFoundError as error:
            # torch.utils.tensorboard and the like: there, but built on something that is not
            if not error.name or is_real(error.name):
                raise
            return self._absent(name, fromlist, caller, spot, error.name)

    def _absent(
        self,
        name: str,
        fromlist: Sequence[str] | None,
        caller: Caller,
        spot: tuple[str, int],
        lacking: str | None = None,
    ) -> Standin:
        if caller.handles(*spot):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        top = (lacking or name).partition(".")[0]
        why = self._why(top, name)
        self._notes.absent(caller.where(*spot), top, why, expected=self._is_known(top))
        standin = Standin(name if fromlist else name.partition(".")[0], self._gate, why)
        return standin

    def _is_known(self, top: str) -> bool:
        return top in _KNOWN_ABSENT or top in _OURS

    def _why(self, top: str, name: str) -> str:
        if top in _OURS:
            return _("`{name}` cannot be used by a submission", name=top)
        if top in _KNOWN_ABSENT:
            return _("`{name}` is not available while grading", name=top)
        own = name.removeprefix(f"{HAND_OUTS}.") if top == HAND_OUTS else name
        why = _("there is no module `{name}` and no file of that name in the submission", name=name)
        choices = sorted({*self._module_map.names(), *AVAILABLE, *_KNOWN_ABSENT})
        close = difflib.get_close_matches(own.partition(".")[0], choices, n=1)
        if not close or close[0] == own:
            return why
        return _("{told} (did you mean `{name}`?)", told=why, name=close[0])


class Finder(MetaPathFinder, Loader):
    """Serves `importlib.import_module` and pickle; never asked for a module that exists."""

    def __init__(self, module_map: ModuleMap, run: Callable[[ModuleLocation], ModuleType]) -> None:
        self._module_map = module_map
        self._run = run

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        chain = self._module_map.find(fullname, "")
        if not chain:
            return None
        place = chain[-1]
        spec = ModuleSpec(fullname, self, origin=place.path, is_package=place.folder is not None)
        spec.loader_state = place
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        place: ModuleLocation = spec.loader_state
        return self._run(place)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: `create_module` executed the file, which has one module under any name."""
