"""The command line: options, commands, exit codes. Nothing imports it."""
