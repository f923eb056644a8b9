"""Grade without the reference: record what it answers to public checks, and answer from that."""
