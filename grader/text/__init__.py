"""Write words for people: language, problems in files, text width, points."""
