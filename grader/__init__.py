"""Auto-grading of assignments in PyTorch: the engine, which knows no subject."""

__version__ = "0.1.0"
