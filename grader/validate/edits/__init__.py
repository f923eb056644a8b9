"""A grammar of edits: what people get wrong, as operators on the syntax tree of right code."""
