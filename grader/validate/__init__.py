"""Prove, on known mistakes, that a course's suites miss nothing and wrong nobody."""
