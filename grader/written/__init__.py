"""Written answers: asked in the hand-outs, collected from submissions, graded by a person."""
