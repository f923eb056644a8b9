"""One end of the boundary: makes calls to the other end and serves its calls.

A request gets zero or more nested requests and notices back, then exactly one reply; a notice gets
none. Nesting is strict, so messages carry no numbers; each side bounds how often and how deep it
lets itself be called.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from .faults import Deadline, PeerGone, TooLarge, Violation
from .frame import Buffer, Channel, Message, Meta
from .graph import Gradients, KeptGraph, RemoteGraph
from .raised import RemoteRaised
from .side import Arguments, CallResult, CallScope, DeferredCall, Side
from .tensors import (
    INNER,
    NO_COPIES,
    Copies,
    Received,
    TensorEntry,
    numbers_of,
    raw_bytes,
    read_tensors,
    views,
)
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
        answer, received = self.request(meta, encoder)
        sources = [tensor for tensor in sent if tensor.requires_grad] + list(parameters.values())
        tensors = self._joined(answer, received, sources)
        scope = CallScope(self.side, known={"A": sent, "P": list(parameters.values())})
        value = Decoder(tensors, scope).value(answer.get("value"))
        changed = _indices(answer.get("changed", []), len(sent))
        return CallResult(value, changed, answer.get("noted"))

    def request(self, meta: Meta, encoder: Encoder) -> tuple[Meta, tuple[torch.Tensor, ...]]:
        """Send a request with the tensors of `encoder`; return the reply and its tensors."""
        tables, buffers = encoder.writer.tables()
        reply = self.exchange({**meta, **tables}, buffers)
        return reply.meta, read_tensors(reply.meta, reply.payload).tensors

    def exchange(self, meta: Meta, buffers: Sequence[Buffer] = ()) -> Message:
        """Send a request and serve nested ones until its reply arrives."""
        self.channel.send({**meta, "release": self.take_released()}, buffers, self.until)
        while True:
            message = self.channel.receive(self.until)
            kind = message.meta.get("t")
            if kind == "ok":
                return message
            if kind == "raised":
                raise RemoteRaised(message.meta)
            self.serve(message)

    def take_released(self) -> list[int]:
        """Return the graphs that the other side need not keep any longer, once."""
        released = []
        while self._to_release:  # stays this list: each graph adds itself to it when it is deleted
            released.append(self._to_release.pop())
        return released

    def tell(self, meta: Meta) -> None:
        """Send a notice while a request of the other side's is served. Nothing comes back."""
        self.channel.send(meta, (), self.until)

    def _joined(
        self, meta: Meta, received: tuple[torch.Tensor, ...], sources: list[torch.Tensor]
    ) -> tuple[torch.Tensor, ...]:
        graph_id, positions = meta.get("graph"), meta.get("outputs", [])
        if graph_id is None:
            return received
        positions = _indices(positions, len(received))
        if type(graph_id) is not int or not positions or len(set(positions)) != len(positions):
            raise Violation("graph")
        outputs = tuple(received[position] for position in positions)
        if not all(o.is_floating_point() or o.is_complex() for o in outputs):
            raise Violation("graph of an output that has no gradient")
        graph = RemoteGraph(graph_id, self._ask_backward, self._to_release.append)
        tensors = list(received)
        for position, output in zip(positions, graph.join(outputs, sources), strict=True):
            tensors[position] = output
        return tuple(tensors)

    def _ask_backward(self, graph_id: int, gradients: Gradients) -> Gradients:
        encoder = Encoder(CallScope(self.side))
        nodes = [None if g is None else encoder.node(g.detach()) for g in gradients]
        question = {"t": "backward", "graph": graph_id, "gradients": nodes}
        answer, received = self.request(question, encoder)
        decoder = Decoder(received, CallScope(self.side))
        return [decoder.value(node) for node in items(answer.get("gradients"))]

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
        with self._serving(message.meta):
            notice = self._notices.get(str(message.meta.get("t")))
            if notice is not None:
                notice(message)
                return
            meta, encoder = self._answer(message.meta, lambda: _arrived(message), message)
        try:
            tables, buffers = encoder.writer.tables() if encoder else ({}, [])
            self.channel.send({**meta, **tables}, buffers, self.until)
        except TooLarge as error:
            self.channel.send({"t": "raised", **self.side.report(error)}, (), self.until)

    def serve_here(self, meta: Meta, copies: Copies) -> tuple[Meta, Copies]:
        """Answer a request that comes without a message, from a peer in the same process.

        What is answered is what `serve` answers, in its words and under its limits.
        """
        with self._serving(meta):
            answer, encoder = self._answer(meta, lambda: _copied(copies))
        try:
            return answer, encoder.writer.copies() if encoder else NO_COPIES
        except TooLarge as error:
            return {"t": "raised", **self.side.report(error)}, NO_COPIES

    @contextmanager
    def _serving(self, meta: Meta) -> Iterator[None]:
        """Count a request that is served meanwhile, and release what it says nobody needs."""
        self._served += 1
        self._depth += 1
        try:
            if self._served > MAX_NESTED_REQUESTS or self._depth > MAX_NESTING:
                raise Violation("too many nested requests")
            for graph_id in items(meta.get("release")):
                self._graphs.pop(graph_id, None) if type(graph_id) is int else None
            yield
        finally:
            self._depth -= 1

    def begin(self) -> None:
        """Start counting nested requests anew."""
        self._served = 0

    def forget(self) -> None:
        """Drop every graph kept for the other side."""
        self._graphs.clear()
        self._requested_numbers = 0

    def _answer(
        self, meta: Meta, arrive: Callable[[], _Arrived], message: Message | None = None
    ) -> tuple[Meta, Encoder | None]:
        kind = meta.get("t")
        try:
            if meta.get("reset") is True:
                self._graphs.clear()
                self._served = 0
                self.side.reset()
            if kind == "call":
                return self._serve_call(meta, arrive())
            if kind == "backward":
                return self._serve_backward(meta, arrive())
            if message is not None and type(kind) is str and kind in self._operations:
                return {"t": "ok", **self._operations[kind](message)}, None
        except (Violation, Deadline, PeerGone):
            raise
        except BaseException as error:
            return {"t": "raised", **self.side.report(error)}, None
        raise Violation("unknown request")

    def _serve_call(self, meta: Meta, arrived: _Arrived) -> tuple[Meta, Encoder]:
        function = self.side.target(meta.get("target"))
        names = [name for name in items(meta.get("parameters")) if type(name) is str]
        self._count(arrived.received)
        with self.side.environment(meta):
            arguments = self._arguments(meta, arrived.received)
            if "before" in meta:
                self._run_deferred_calls(meta["before"], arguments.passed)
            arguments.parameters = self.side.parameters(meta.get("target"), names)
            value = function(*arguments.args, **arguments.kwargs)
            arguments.changed = _changed(arrived, arguments)
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

    def _serve_backward(self, meta: Meta, arrived: _Arrived) -> tuple[Meta, Encoder]:
        number = meta.get("graph")
        graph = self._graphs.get(number) if type(number) is int else None
        if graph is None:
            raise Violation("unknown graph")
        decoder = Decoder(arrived.received.tensors, CallScope(self.side))
        gradients = [decoder.value(node) for node in items(meta.get("gradients"))]
        encoder = Encoder(CallScope(self.side))
        computed = graph.backward(gradients)
        nodes = [None if gradient is None else encoder.node(gradient) for gradient in computed]
        return {"t": "ok", "gradients": nodes}, encoder


def _indices(values: Any, count: int) -> tuple[int, ...]:
    if type(values) is not list:
        raise Violation("index list")
    for value in values:
        if type(value) is not int or not 0 <= value < count:
            raise Violation("index list")
    return tuple(values)


class _Arrived(NamedTuple):
    """The tensors of a request, and what shows afterwards which of them were changed."""

    received: Received
    blocks: Sequence[bytearray]
    """The memory that they lie in."""
    as_sent: Sequence[bytes]
    """What was in it when they arrived."""
    read: Callable[[list[bytearray]], Sequence[torch.Tensor]]
    """Makes the same tensors over other memory."""


def _arrived(message: Message) -> _Arrived:
    payload, as_sent = message.payload, bytes(message.payload)
    received = read_tensors(message.meta, payload)
    return _Arrived(
        received, (payload,), (as_sent,), lambda blocks: read_tensors(message.meta, *blocks).tensors
    )


def _copied(copies: Copies) -> _Arrived:
    rows, tensors, blocks = copies
    as_sent = tuple(map(bytes, blocks))
    return _Arrived(Received(rows, tensors), blocks, as_sent, lambda blocks: views(rows, blocks))


def _changed(arrived: _Arrived, arguments: Arguments) -> list[int]:
    """List the table indices of tensors whose bits differ from those sent (NaN included).

    Or whose axes do: `transpose_` and `squeeze_` leave the bits alone.
    """
    turned = {
        position
        for position, (row, new) in enumerate(
            zip(arrived.received.rows, arguments.passed, strict=True)
        )
        if _is_turned(row, new, is_copy=row.grad == INNER)
    }
    copied = any(arguments.passed[place] is not leaf for place, leaf in arguments.leaves.items())
    if not copied and all(map(operator.eq, arrived.blocks, arrived.as_sent)):
        return sorted(turned)
    before = arrived.read(list(map(bytearray, arrived.as_sent)))
    return [
        position
        for position, (old, new) in enumerate(zip(before, arguments.passed, strict=True))
        if position in turned or raw_bytes(old) != raw_bytes(new)
    ]


def _is_turned(row: TensorEntry, tensor: torch.Tensor, *, is_copy: bool) -> bool:
    """Tell whether a tensor has other axes than it came with; a copy has strides of its own."""
    return row.shape != tuple(tensor.shape) or (not is_copy and row.stride != tensor.stride())
