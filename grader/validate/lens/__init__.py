"""Find the edit of the reference that students made whose mistake has no name."""
