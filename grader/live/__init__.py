"""Checks of live objects, inside the kernel that holds them: practice, on public criteria."""
