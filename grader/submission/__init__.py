"""Read what students send, as bytes: files, archives, notebooks and written answers."""
