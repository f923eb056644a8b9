"""Compare values and gradients, and find which output depends on which input."""
