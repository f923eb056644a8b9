"""Two more sets of programs in styles of their own: an oracle proves each edit wrong."""
