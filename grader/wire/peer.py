"""One end of the boundary: makes calls to the other end and serves its calls.

A request gets zero or more nested requests and notices back, then exactly one reply; a notice gets
none. Nesting is strict, so messages carry no numbers; each side bounds how often and how deep it
lets itself be called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .faults import Deadline, PeerGone, TooLarge, Violation
from .frame import Buffer, Channel, Message, Meta
from .graph import Gradients, KeptGraph, RemoteGraph
from .raised import RemoteRaised
from .side import Arguments, CallResult, CallScope, DeferredCall, Side
from .tensors import INNER, Received, numbers_of, raw_bytes, read_tensors
from .values import Decoder, Encoder, Node, items

MAX_NESTED_REQUESTS = 10_000
MAX_NESTING = 16


class Peer:
    """One end of a channel, which calls the other end and serves its calls."""

    def __init__(
        self,
        channel: Channel,
        side: Side,
        operations: Mapping[str, Callable[[Message], Meta]],
        notices: Mapping[str, Callable[[Message], None]] | None = None,
    ) -> None:
        """Set up this end; `operations` and `notices` map further kinds of messages to handlers.

        See `tell` for notices.
        """
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
        self._requested_numbers = 0

    # ---- calling -------------------------------------------------------------------------

    def call(
        self,
        target: Node,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        env: Meta,
        parameters: Mapping[str, torch.Tensor],
        before: Sequence[DeferredCall] = (),
    ) -> CallResult:
        """Call `target` on the other side; differentiable results join the local graph.

        `parameters`: name -> local stand-in of a remote parameter that collects its gradient.
        `before`: calls that the other side makes first; if one of them raises, this call raises.

        Raises:
            RemoteRaised: the function raised. Violation, Deadline, PeerGone: the channel is done.
        """
        encoder = Encoder(CallScope(self.side))
        meta = {
            "t": "call",
            "target": target,
            "args": encoder.node(tuple(args)),
            "kwargs": encoder.node(dict(kwargs)),
            "env": env,
            "parameters": list(parameters),
        }
        if before:
            meta["before"] = [
                [call_target, encoder.node(arguments)] for call_target, arguments in before
            ]
        sent = encoder.writer.tensors
        reply = self.request(meta, encoder)
        received = read_tensors(reply.meta, reply.payload)
        sources = [tensor for tensor in sent if tensor.requires_grad] + list(parameters.values())
        tensors = self._joined(reply.meta, received, sources)
        scope = CallScope(self.side, known={"A": sent, "P": list(parameters.values())})
        value = Decoder(tensors, scope).value(reply.meta.get("value"))
        changed = _indices(reply.meta.get("changed", []), len(sent))
        return CallResult(value, changed, reply.meta.get("noted"))

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
        encoder = Encoder(CallScope(self.side))
        nodes = [None if g is None else encoder.node(g.detach()) for g in gradients]
        reply = self.request({"t": "backward", "graph": graph_id, "gradients": nodes}, encoder)
        received = read_tensors(reply.meta, reply.payload)
        decoder = Decoder(received.tensors, CallScope(self.side))
        return [decoder.value(node) for node in items(reply.meta.get("gradients"))]

    # ---- serving -------------------------------------------------------------------------

    def serve_forever(self) -> None:
        """Answer requests until the other side closes the channel."""
        while True:
            try:
                self.serve(self.channel.receive(None))
            except PeerGone:
                return

    def serve(self, message: Message) -> None:
        """Answer one request, or pass a notice to its handler.

        Raises `Violation` if the message is of no known kind, or exceeds the number or depth of
        nested requests.
        """
        self._served += 1
        self._depth += 1
        try:
            if self._served > MAX_NESTED_REQUESTS or self._depth > MAX_NESTING:
                raise Violation("too many nested requests")
            for graph_id in items(message.meta.get("release")):
                self._graphs.pop(graph_id, None) if type(graph_id) is int else None
            notice = self._notices.get(str(message.meta.get("t")))
            if notice is not None:
                notice(message)
                return
            meta, encoder = self._answer(message)
        finally:
            self._depth -= 1
        try:
            tables, buffers = encoder.writer.tables() if encoder else ({}, [])
            self.channel.send({**meta, **tables}, buffers, self.until)
        except TooLarge as error:
            self.channel.send({"t": "raised", **self.side.report(error)}, (), self.until)

    def begin(self) -> None:
        """Start counting nested requests anew."""
        self._served = 0

    def forget(self) -> None:
        """Drop every graph kept for the other side."""
        self._graphs.clear()
        self._requested_numbers = 0

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
        as_sent = bytes(message.payload)
        function = self.side.target(meta.get("target"))
        names = [name for name in items(meta.get("parameters")) if type(name) is str]
        received = read_tensors(meta, message.payload)
        self._count(received)
        with self.side.environment(meta):
            arguments = self._arguments(meta, received)
            if "before" in meta:
                self._run_deferred_calls(meta["before"], arguments.passed)
            arguments.parameters = self.side.parameters(meta.get("target"), names)
            value = function(*arguments.args, **arguments.kwargs)
            arguments.changed = _changed(meta, message, as_sent, arguments)
            encoder = Encoder(CallScope(self.side, arguments))
            sources = [*arguments.leaves.values(), *arguments.parameters]
            reply: Meta = {"t": "ok", "value": encoder.node(value)}
            reply |= self._keep(encoder.writer.tensors, sources)
            reply["changed"] = arguments.changed
            noted = self.side.noted()
        return reply if noted is None else {**reply, "noted": noted}, encoder

    def _count(self, received: Received) -> None:
        most = self.side.max_requested_numbers
        if most is not None:
            self._requested_numbers += sum(map(numbers_of, received.rows))
            if self._requested_numbers > most:
                raise Violation("too many numbers in nested requests")

    def _arguments(self, meta: Meta, received: Received) -> Arguments:
        arguments = Arguments((), {})
        for position, (row, tensor) in enumerate(zip(received.rows, received.tensors, strict=True)):
            passed = tensor
            if row.grad:
                arguments.leaves[position] = tensor.requires_grad_()
                # A copy through autograd: in-place operations on it are allowed, as they are
                # on the caller's own intermediate result.
                passed = tensor * 1 if row.grad == INNER else tensor
            arguments.passed.append(passed)
        decoder = Decoder(tuple(arguments.passed), CallScope(self.side))
        args, kwargs = decoder.value(meta.get("args")), decoder.value(meta.get("kwargs"))
        if type(args) is not tuple or type(kwargs) is not dict:
            raise Violation("arguments")
        if not all(type(name) is str for name in kwargs):
            raise Violation("name of an argument")
        arguments.args, arguments.kwargs = args, kwargs
        return arguments

    def _run_deferred_calls(self, deferred: Any, tensors: Sequence[torch.Tensor]) -> None:
        if not self.side.runs_deferred_calls:
            raise Violation("deferred calls")
        decoder = Decoder(tuple(tensors), CallScope(self.side))
        with torch.no_grad():
            for target, values in deferred:
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
        decoder = Decoder(received.tensors, CallScope(self.side))
        gradients = [decoder.value(node) for node in items(message.meta.get("gradients"))]
        encoder = Encoder(CallScope(self.side))
        computed = graph.backward(gradients)
        nodes = [None if gradient is None else encoder.node(gradient) for gradient in computed]
        return {"t": "ok", "gradients": nodes}, encoder


def _indices(values: Any, count: int) -> tuple[int, ...]:
    if type(values) is not list or not all(type(v) is int and 0 <= v < count for v in values):
        raise Violation("index list")
    return tuple(values)


def _changed(meta: Meta, message: Message, as_sent: bytes, arguments: Arguments) -> list[int]:
    """List the table indices of tensors whose bits differ from those sent (NaN included)."""
    copied = any(arguments.passed[place] is not leaf for place, leaf in arguments.leaves.items())
    if message.payload == as_sent and not copied:
        return []
    before = read_tensors(meta, bytearray(as_sent)).tensors
    return [
        position
        for position, (old, new) in enumerate(zip(before, arguments.passed, strict=True))
        if raw_bytes(old) != raw_bytes(new)
    ]
