"""One module or folder for each command: its options, its help and what it does."""
