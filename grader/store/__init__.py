"""Keep the results of a class in one database, so that nobody is graded twice or lost."""
