"""Say in plain words what an exception of Python or torch means, if no known mistake explains it.

The words of an exception are not shown for hidden checks, since they may hold hidden lengths. What
is said here holds no number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ...text.language import _, marked
from .finding import Finding


@dataclass(frozen=True)
class RaisedKind:
    """A kind of exception that several messages tell of."""

    id: str
    messages: re.Pattern[str]
    text: str


def _like(messages: str) -> re.Pattern[str]:
    return re.compile(messages)


KINDS = (
    RaisedKind(
        "raised.view",
        _like(
            r"view size is not compatible with input tensor",
        ),
        marked(
            "`view` reads numbers in the order in which they lie in memory, and after transpose, "
            "permute, expand or a slice they lie in another one: use reshape"
        ),
    ),
    RaisedKind(
        "raised.in_place",
        _like(
            r"used in an in-?place operation|modified by an inplace operation"
            r"|element of the written-to tensor refers to a single memory",
        ),
        marked(
            "something works in place on numbers that are still needed: an argument, a weight, "
            "or what gradients are computed from"
        ),
    ),
    RaisedKind(
        "raised.overflow",
        _like(
            r"value cannot be converted to type \S+ without overflow",
        ),
        marked(
            "a number is written into a tensor whose dtype cannot hold it: take the largest or "
            "lowest number of the tensor's own dtype, or an infinity"
        ),
    ),
    RaisedKind(
        "raised.none",
        _like(
            r"NoneType",
        ),
        marked(
            "something is None here and is used like a value: an argument that may be left out, "
            "or what a function without `return` gave"
        ),
    ),
    RaisedKind(
        "raised.elements",
        _like(
            r"is invalid for input of size|cannot reshape array|shape '.*' is invalid"
            r"|Sizes of tensors must match except|split_with_sizes|don't multiply up to the size"
            r"|unflatten: Provided sizes|Shape mismatch, (can't divide axis|\d+ != )"
            r"|each tensor to be equal size"
            r"|expected input with shape|, expected input\[",
        ),
        marked(
            "the lengths that are written down here are not those of the tensor: one of them is "
            "an axis of another tensor, or fits only some inputs"
        ),
    ),
    RaisedKind(
        "raised.broadcast",
        _like(
            r"must match the (existing )?size|not broadcastable|shape mismatch: objects cannot be"
            r"|doesn't match the broadcast shape|could not be broadcast|cannot be broadcast"
            r"|does not broadcast|could not broadcast input",
        ),
        marked(
            "two tensors meet that cannot be broadcast: counted from the last axis, lengths have "
            "to be equal, or one of them 1"
        ),
    ),
    RaisedKind(
        "raised.product",
        _like(
            r"shapes cannot be multiplied|Expected size for first two dimensions of batch2"
            r"|expected matrix1 and matrix2|inconsistent tensor size"
            r"|mat1 dim 1 must match mat2 dim 0|mismatch in its core dimension",
        ),
        marked(
            "the lengths inside a matrix product differ: the last axis of the left factor has to "
            "be as long as the last but one of the right"
        ),
    ),
    RaisedKind(
        "raised.dtypes",
        _like(
            r"must have the same dtype|to have the same dtype|Expected self\.dtype to be"
            r"|expected scalar type|Found dtype|can't be cast to the desired output type"
            r"|type .* should be the same",
        ),
        marked("two dtypes meet in an operation that converts neither of them to the other"),
    ),
    RaisedKind(
        "raised.between_brackets",
        _like(
            r"(tensors|arrays) used as ind(ices|exes) must be|only integers, slices",
        ),
        marked("what stands between the brackets is neither whole numbers nor a bool mask"),
    ),
    RaisedKind(
        "raised.not_integer",
        _like(
            r"must be integer|Expected tensor for argument #1 'indices'"
            r"|cannot be interpreted as an integer|slice indices must be integers|dtype to be Long"
            r"|Expected dtype int32/int64 for index|ints, ?but got float",
        ),
        marked("a whole number is needed here, and what is given is another: `/` gives no integer"),
    ),
    RaisedKind(
        "raised.not_float",
        _like(
            r"not implemented for '(Long|Int|Bool)'|could not infer output dtype",
        ),
        marked("numbers with fractions are needed here, and what is given is whole: convert it"),
    ),
    RaisedKind(
        "raised.not_bool",
        _like(
            r"masked_fill_? only supports boolean masks|expected a bool(ean)? tensor"
            r"|condition to be a boolean",
        ),
        marked("a bool mask is needed here, and what is given holds numbers"),
    ),
    RaisedKind(
        "raised.truth",
        _like(
            r"Boolean value of Tensor with more than one value"
            r"|truth value of an array with more than",
        ),
        marked(
            "a whole tensor stands where one truth is asked for, as `if`, `and`, `or`, `not`, `in` "
            "and max() do"
        ),
    ),
    RaisedKind(
        "raised.history",
        _like(
            r"Can't call numpy\(\) on Tensor that requires grad|does not have a grad_fn",
        ),
        marked(
            "the path that gradients take is broken off or stands in the way: stay with operations "
            "of torch, and leave detach, .data and .numpy() away"
        ),
    ),
    RaisedKind(
        "raised.axes",
        _like(
            r"[Dd]imension out of range|too many indices|at least \d dimensions"
            r"|number of dimensions|number of subscripts|values to unpack"
            r"|prob_dist must be|invalid index of a 0-dim|must be a \dD tensor|expected \d+ dims"
            r"|axes don't match array",
        ),
        marked("the tensor has another number of axes than this line counts on"),
    ),
    RaisedKind(
        "raised.mask_as_index",
        _like(
            r"shape of the mask .* does not match the shape of the indexed tensor"
            r"|boolean index did not match indexed array",
        ),
        marked(
            "the mask that stands as an index has another shape than the tensor: an index is not "
            "broadcast, and the masks of masked_fill and torch.where are"
        ),
    ),
    RaisedKind(
        "raised.index",
        _like(
            r"[Ii]ndex out of range|is out of bounds|out of range in self|index out of bounds"
            r"|exceeds dimension size",
        ),
        marked("an index reaches beyond what is there: an axis or a table is shorter than it"),
    ),
    RaisedKind(
        "raised.one_number",
        _like(
            r"only one element tensors can be converted|can't be converted to Scalar"
            r"|only integer tensors of a single element|iteration over a 0-d tensor"
            r"|cannot be converted to Scalar|0-dimensional value tensor",
        ),
        marked("one number and a tensor of several are taken for one another"),
    ),
    RaisedKind(
        "raised.device",
        _like(
            r"tensors to be on the same device|is on meta|on cpu, .* on meta"
            r"|device meta|meta tensor",
        ),
        marked("two devices meet: a tensor that is made here has to be made on the input's device"),
    ),
    RaisedKind(
        "raised.arguments",
        _like(
            r"unexpected keyword argument|required positional argument|positional arguments? but"
            r"|got multiple values for|received an invalid combination of arguments",
        ),
        marked("a function is called with other arguments than it takes"),
    ),
    RaisedKind(
        "raised.not_tensor",
        _like(
            r"must be (a )?Tensor,? (but got|not) (?!NoneType)",
        ),
        marked(
            "something else stands where a tensor is needed: a layer that is not called yet, a "
            "list, or a plain number"
        ),
    ),
    RaisedKind(
        "raised.zero",
        _like(
            r"(division|modulo|remainder) by zero|ZeroDivisionError",
        ),
        marked("something is divided by zero: one of the allowed values needs a way of its own"),
    ),
    RaisedKind(
        "raised.empty",
        _like(
            r"of empty (iterable|sequence)|an empty sequence|iterable argument is empty"
            r"|expects a non-empty|expected a non-empty|need at least one array|pop from empty",
        ),
        marked("there is nothing here to begin with: a list, or a tensor, is empty"),
    ),
    RaisedKind(
        "raised.name",
        _like(
            r"has no attribute|is not defined|cannot access local variable|before assignment",
        ),
        marked("a name is read that is not there: it is spelled in another way, or set elsewhere"),
    ),
)
"""The more telling first: of several that fit a message, the first is told."""
OF_SIZES = frozenset(
    {
        "raised.view",
        "raised.elements",
        "raised.broadcast",
        "raised.product",
        "raised.axes",
        "raised.mask_as_index",
    }
)
"""What is raised where lengths or axes do not fit: which of them depends on how code is written."""


_WHICH = re.compile(r"(dimensions?|dim|axis|argument|version) ?#?\d+")
_LENGTH = re.compile(r"(?<![A-Za-z_\d])\d+|(?<=\dx)\d+")
"""A number by itself, or in the middle of 2x3; not that of float32."""


@lru_cache(maxsize=256)
def raised_kind(message: str) -> RaisedKind | None:
    """Return what the message of an exception tells, or None if it is none of these."""
    return next((kind for kind in KINDS if kind.messages.search(message)), None)


def raised_the_same(one: str, other: str) -> bool:
    """Tell whether the messages of two exceptions say the same of the same lengths.

    False if one of them names no length: then they are of one kind, and perhaps of two causes.
    """
    kind = raised_kind(one)
    lengths = _lengths(one)
    return (
        bool(lengths)
        and kind is not None
        and kind is raised_kind(other)
        and (lengths == _lengths(other))
    )


def may_mean_the_same(one: str, other: str) -> bool:
    """Tell whether one fault may lie behind two exceptions, by what their messages tell.

    Sizes that do not fit are told in several ways, by where they meet: then they have to be about a
    length that is in both. Of two messages that tell of no kind nothing is known.
    """
    kinds = [kind.id if kind else "" for kind in (raised_kind(one), raised_kind(other))]
    if kinds[0] == kinds[1]:
        return True
    return OF_SIZES.issuperset(kinds) and bool(_lengths(one) & _lengths(other))


def _lengths(message: str) -> frozenset[str]:
    """Return the lengths in a message, but not which axis or argument has them."""
    return frozenset(_LENGTH.findall(_WHICH.sub("", message.partition("Target sizes")[0])))


def raised_finding(message: str, type_name: str = "") -> Finding | None:
    """Return in words what an exception tells by its message, or else by the name of its type."""
    if type_name == AssertionError.__name__:
        text = _(
            "an `assert` of the code itself does not hold: it takes for granted what the exercise "
            "does not say"
        )
        return Finding("raised.assertion", text)
    kind = raised_kind(message)
    return Finding(kind.id, _(kind.text)) if kind is not None else None


def refused_finding() -> Finding:
    """Return in words that a `raise` of the student's own ends what the exercise allows."""
    text = _(
        "a `raise` of the code itself refuses what the exercise allows: its condition is true "
        "where it should not be"
    )
    return Finding("raised.refused", text)
