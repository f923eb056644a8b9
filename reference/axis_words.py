"""Words for one place along an axis, by the axis's letter: `query 0` says a counterexample."""

AXIS_WORDS = {
    "B": "sample",
    "H": "head",
    "S": "query",
    "L": "key",
    "T": "token",
    "U": "token",
    "D": "feature",
    "E": "feature",
    "Dh": "feature",
    "Dv": "feature",
    "H*D": "feature",
    "H*Dh": "feature",
    "C": "channel",
    "N": "patch",
    "V": "word",
    "K": "class",
    "I": "step",
    "X": "row",
    "Y": "column",
    "X*Y": "patch",
}
