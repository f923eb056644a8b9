"""Seal a course in one encrypted, signed file, and read it in memory."""
