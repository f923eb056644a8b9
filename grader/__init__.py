"""Auto-grading of attention, multi-head attention and Vision Transformer assignments."""

__version__ = "0.1.0"
