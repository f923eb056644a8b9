"""One end of the boundary: makes calls to the other end and serves its calls.

A request gets zero or more nested requests and notices back, then exactly one reply; a notice gets
none. Nesting is strict, so messages carry no numbers; each side bounds how often and how deep it
lets itself be called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch

from .faults import Deadline, PeerGone, Violation
from .frame import Buffer, Channel, Message, Meta
from .graph import Gradients, KeptGraph, RemoteGraph
from .tensors import INNER, Received, raw_bytes, read_tensors
from .values import Decoder, Encoder, Node, ObjectCodec, index, text

MAX_NESTED_REQUESTS = 10_000
MAX_NESTING = 16
MAX_PLACE = 10_000_000
"""Lines and cells beyond this are none."""

Errand = tuple[Node, tuple[Any, ...]]
"""A call whose result nobody waits for: what to call, and with what."""


class RemoteRaised(Exception):
    """The other side's function raised. Texts are untrusted."""

    def __init__(self, report: Meta) -> None:
        self.type_name = text(report.get("type"), 200) or "Exception"
        self.bases = tuple(text(name, 200) for name in _list(report.get("bases"))[:32])
        self.message = text(report.get("message"), 4000)
        self.file = text(report.get("file"), 400) or None
        self.line, self.cell = _place(report.get("line")), _place(report.get("cell"))
        self.own = report.get("own") is True
        self.refused = text(report.get("refused"), 40)
        super().__init__(f"{self.type_name}: {self.message}")


def _list(value: Any) -> list[Any]:
    return value if type(value) is list else []


def _place(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < MAX_PLACE else None


@dataclass
class Arguments:
    """The decoded arguments of a call being served."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    passed: list[torch.Tensor] = field(default_factory=list)
    """By index of the message's tensor table: what the function really got."""
    leaves: dict[int, torch.Tensor] = field(default_factory=dict)
    """Table index -> the leaf whose gradient the caller wants."""
    parameters: tuple[torch.Tensor, ...] = ()
    """Of the called module, in the order the caller named them."""
    changed: list[int] = field(default_factory=list)
    """Table indices of what the function modified: the caller's own no longer holds its value."""

    def reference(self, value: torch.Tensor) -> Node | None:
        """A node for a returned tensor that the caller already has, or None."""
        for kind, known in (("A", self.passed), ("P", self.parameters)):
            for position, tensor in enumerate(known):
                if tensor is value and not (kind == "A" and position in self.changed):
                    return [kind, position]
        return None


@dataclass(frozen=True)
class Outcome:
    """What a call brought back to the caller."""

    value: Any
    changed: tuple[int, ...]
    """Indices of the tensors passed in that the function modified."""
    noted: Any = None
    """What the other side has to say of the call besides; untrusted."""


class Side(ObjectCodec):
    """What differs between the two ends. Both implement this."""

    runs_errands = False
    """Whether a call to this side may bring errands along. What is untrusted may not send any:
    the number of its requests is counted."""

    def target(self, node: Node) -> Callable[..., Any]:
        """The function a call message names. Raises `Violation`."""
        raise NotImplementedError

    def parameters(self, node: Node, names: Sequence[str]) -> tuple[torch.Tensor, ...]:
        """Parameters of the target, as further sources of gradients."""
        return ()

    def environment(self, meta: Meta) -> AbstractContextManager[None]:
        """The settings under which a served call runs."""
        return nullcontext()

    def noted(self) -> Any:
        """What to tell the caller of the call just served, besides its value; None for nothing."""
        return None

    def reset(self) -> None:
        """Start anew before the request at hand, which is the first of a check."""

    def report(self, error: BaseException) -> Meta:
        """An exception of a served function, as the other side may know it."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Scope(ObjectCodec):
    """Resolves references of one call: its arguments first, then the side's own objects."""

    side: Side
    arguments: Arguments | None = None
    """When serving: what a returned tensor may be identical to."""
    known: Mapping[str, Sequence[torch.Tensor]] = field(default_factory=dict)
    """When calling: `A` the tensors sent and `P` the parameters' stand-ins."""

    def name(self, value: Any) -> Node | None:
        if self.arguments is not None and isinstance(value, torch.Tensor):
            reference = self.arguments.reference(value)
            if reference is not None:
                return reference
        return self.side.name(value)

    def resolve(self, kind: str, parts: list[Any]) -> Any:
        if kind in ("A", "P"):
            known = self.known.get(kind, ())
            return known[index(parts, len(known))]
        return self.side.resolve(kind, parts)


class Peer:
    """Calls and serves over one channel."""

    def __init__(
        self,
        channel: Channel,
        side: Side,
        operations: Mapping[str, Callable[[Message], Meta]],
        notices: Mapping[str, Callable[[Message], None]] | None = None,
    ) -> None:
        """`operations` and `notices`: what else is served, by its kind; see `tell` for notices."""
        self.channel = channel
        self.side = side
        self.until: float | None = None
        """Monotonic time at which everything under way must be finished."""
        self._operations, self._notices = operations, notices or {}
        self._graphs: dict[int, KeptGraph] = {}
        self._next_graph = 0
        self._to_release: list[int] = []
        self._served = 0
        self._depth = 0

    # ---- calling -------------------------------------------------------------------------

    def call(
        self,
        target: Node,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        env: Meta,
        parameters: Mapping[str, torch.Tensor],
        before: Sequence[Errand] = (),
    ) -> Outcome:
        """Call `target` on the other side; differentiable results join the local graph.

        `parameters`: name -> local stand-in of a remote parameter that collects its gradient.
        `before`: what the other side does first; what it raises, the call raises.

        Raises:
            RemoteRaised: the function raised. Violation, Deadline, PeerGone: the channel is done.
        """
        encoder = Encoder(_Scope(self.side))
        meta = {
            "t": "call",
            "target": target,
            "args": encoder.node(tuple(args)),
            "kwargs": encoder.node(dict(kwargs)),
            "env": env,
            "parameters": list(parameters),
        }
        if before:
            meta["before"] = [[errand, encoder.node(arguments)] for errand, arguments in before]
        sent = encoder.writer.tensors
        reply = self.request(meta, encoder)
        received = read_tensors(reply.meta, reply.payload)
        sources = [tensor for tensor in sent if tensor.requires_grad] + list(parameters.values())
        tensors = self._joined(reply.meta, received, sources)
        scope = _Scope(self.side, known={"A": sent, "P": list(parameters.values())})
        value = Decoder(tensors, scope).value(reply.meta.get("value"))
        changed = _indices(reply.meta.get("changed", []), len(sent))
        return Outcome(value, changed, reply.meta.get("noted"))

    def request(self, meta: Meta, encoder: Encoder | None = None) -> Message:
        """Send a request with the tensors of `encoder`; see `exchange`."""
        tables, buffers = encoder.writer.tables() if encoder else ({}, [])
        return self.exchange({**meta, **tables}, buffers)

    def exchange(self, meta: Meta, buffers: Sequence[Buffer] = ()) -> Message:
        """Send a request and serve nested ones until its reply arrives."""
        released, self._to_release = self._to_release, []
        self.channel.send({**meta, "release": released}, buffers, self.until)
        while True:
            message = self.channel.receive(self.until)
            kind = message.meta.get("t")
            if kind == "ok":
                return message
            if kind == "raised":
                raise RemoteRaised(message.meta)
            self.serve(message)

    def tell(self, meta: Meta) -> None:
        """Send a notice while a request of the other side's is served. Nothing comes back."""
        self.channel.send(meta, (), self.until)

    def _joined(
        self, meta: Meta, received: Received, sources: list[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        graph_id, positions = meta.get("graph"), meta.get("outputs", [])
        if graph_id is None:
            return received.tensors
        positions = _indices(positions, len(received.tensors))
        if type(graph_id) is not int or not positions or len(set(positions)) != len(positions):
            raise Violation("graph")
        outputs = tuple(received.tensors[position] for position in positions)
        if not all(o.is_floating_point() or o.is_complex() for o in outputs):
            raise Violation("graph of an output that has no gradient")
        graph = RemoteGraph(graph_id, self._ask_backward, self._to_release.append)
        tensors = list(received.tensors)
        for position, output in zip(positions, graph.join(outputs, sources), strict=True):
            tensors[position] = output
        return tuple(tensors)

    def _ask_backward(self, graph_id: int, gradients: Gradients) -> Gradients:
        encoder = Encoder(_Scope(self.side))
        nodes = [None if g is None else encoder.node(g.detach()) for g in gradients]
        reply = self.request({"t": "backward", "graph": graph_id, "gradients": nodes}, encoder)
        received = read_tensors(reply.meta, reply.payload)
        decoder = Decoder(received.tensors, _Scope(self.side))
        return [decoder.value(node) for node in _list(reply.meta.get("gradients"))]

    # ---- serving -------------------------------------------------------------------------

    def serve_forever(self) -> None:
        """Answer requests until the other side closes the channel."""
        while True:
            try:
                self.serve(self.channel.receive(None))
            except PeerGone:
                return

    def serve(self, message: Message) -> None:
        """Answer one request, or take in a notice. Raises `Violation` if it is none of ours, or one
        too many."""
        self._served += 1
        self._depth += 1
        try:
            if self._served > MAX_NESTED_REQUESTS or self._depth > MAX_NESTING:
                raise Violation("too many nested requests")
            for graph_id in _list(message.meta.get("release")):
                self._graphs.pop(graph_id, None) if type(graph_id) is int else None
            notice = self._notices.get(str(message.meta.get("t")))
            if notice is not None:
                notice(message)
                return
            meta, encoder = self._answer(message)
        finally:
            self._depth -= 1
        tables, buffers = encoder.writer.tables() if encoder else ({}, [])
        self.channel.send({**meta, **tables}, buffers, self.until)

    def begin(self) -> None:
        """Start counting nested requests anew."""
        self._served = 0

    def forget(self) -> None:
        """Drop every graph kept for the other side."""
        self._graphs.clear()

    def _answer(self, message: Message) -> tuple[Meta, Encoder | None]:
        kind = message.meta.get("t")
        try:
            if message.meta.get("reset") is True:
                self._graphs.clear()
                self._served = 0
                self.side.reset()
            if kind == "call":
                return self._serve_call(message)
            if kind == "backward":
                return self._serve_backward(message)
            if type(kind) is str and kind in self._operations:
                return {"t": "ok", **self._operations[kind](message)}, None
        except (Violation, Deadline, PeerGone):
            raise
        except BaseException as error:
            return {"t": "raised", **self.side.report(error)}, None
        raise Violation("unknown request")

    def _serve_call(self, message: Message) -> tuple[Meta, Encoder]:
        meta = message.meta
        pristine = bytes(message.payload)
        function = self.side.target(meta.get("target"))
        names = [name for name in _list(meta.get("parameters")) if type(name) is str]
        received = read_tensors(meta, message.payload)
        with self.side.environment(meta):
            arguments = self._arguments(meta, received)
            if "before" in meta:
                self._run_errands(meta["before"], arguments.passed)
            arguments.parameters = self.side.parameters(meta.get("target"), names)
            value = function(*arguments.args, **arguments.kwargs)
            arguments.changed = _changed(meta, message, pristine, arguments)
            encoder = Encoder(_Scope(self.side, arguments))
            sources = [*arguments.leaves.values(), *arguments.parameters]
            reply: Meta = {"t": "ok", "value": encoder.node(value)}
            reply |= self._keep(encoder.writer.tensors, sources)
            reply["changed"] = arguments.changed
            noted = self.side.noted()
        return reply if noted is None else {**reply, "noted": noted}, encoder

    def _arguments(self, meta: Meta, received: Received) -> Arguments:
        found = Arguments((), {})
        for position, (row, tensor) in enumerate(zip(received.rows, received.tensors, strict=True)):
            passed = tensor
            if row.grad:
                found.leaves[position] = tensor.requires_grad_()
                # A copy through autograd: in-place operations on it are allowed, as they are
                # on the caller's own intermediate result.
                passed = tensor * 1 if row.grad == INNER else tensor
            found.passed.append(passed)
        decoder = Decoder(tuple(found.passed), _Scope(self.side))
        args, kwargs = decoder.value(meta.get("args")), decoder.value(meta.get("kwargs"))
        if type(args) is not tuple or type(kwargs) is not dict:
            raise Violation("arguments")
        if not all(type(name) is str for name in kwargs):
            raise Violation("name of an argument")
        found.args, found.kwargs = args, kwargs
        return found

    def _run_errands(self, errands: Any, tensors: Sequence[torch.Tensor]) -> None:
        if not self.side.runs_errands:
            raise Violation("errands")
        decoder = Decoder(tuple(tensors), _Scope(self.side))
        with torch.no_grad():
            for target, values in errands:
                self.side.target(target)(*decoder.value(values))

    def _keep(self, outputs: list[torch.Tensor], sources: list[torch.Tensor]) -> Meta:
        positions = [position for position, tensor in enumerate(outputs) if tensor.requires_grad]
        if not positions:
            return {}
        self._next_graph += 1
        self._graphs[self._next_graph] = KeptGraph([outputs[p] for p in positions], sources)
        return {"graph": self._next_graph, "outputs": positions}

    def _serve_backward(self, message: Message) -> tuple[Meta, Encoder]:
        number = message.meta.get("graph")
        graph = self._graphs.get(number) if type(number) is int else None
        if graph is None:
            raise Violation("unknown graph")
        received = read_tensors(message.meta, message.payload)
        decoder = Decoder(received.tensors, _Scope(self.side))
        gradients = [decoder.value(node) for node in _list(message.meta.get("gradients"))]
        encoder = Encoder(_Scope(self.side))
        found = graph.backward(gradients)
        nodes = [None if gradient is None else encoder.node(gradient) for gradient in found]
        return {"t": "ok", "gradients": nodes}, encoder


def _indices(values: Any, count: int) -> tuple[int, ...]:
    if type(values) is not list or not all(type(v) is int and 0 <= v < count for v in values):
        raise Violation("index list")
    return tuple(values)


def _changed(meta: Meta, message: Message, pristine: bytes, arguments: Arguments) -> list[int]:
    """Which tensors differ from what was sent, bit by bit (NaN included)."""
    copied = any(arguments.passed[place] is not leaf for place, leaf in arguments.leaves.items())
    if message.payload == pristine and not copied:
        return []
    before = read_tensors(meta, bytearray(pristine)).tensors
    return [
        position
        for position, (old, new) in enumerate(zip(before, arguments.passed, strict=True))
        if raw_bytes(old) != raw_bytes(new)
    ]
