"""Follow-through: do not charge twice for one mistake."""
