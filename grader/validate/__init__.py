"""Proof that a course's suites miss nothing and wrong nobody, on the mistakes it knows."""
