"""Define the messages between the parent process and a judge."""
