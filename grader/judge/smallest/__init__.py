"""Look for the smallest input on which a student's answer is clearly wrong."""
