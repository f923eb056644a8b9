"""What either end of the wire may be sent. Short in the normal tests; `make fuzz` goes on."""
