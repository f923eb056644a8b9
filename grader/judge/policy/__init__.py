"""Check how an answer is written: no banned calls, and no loops where they are forbidden."""
