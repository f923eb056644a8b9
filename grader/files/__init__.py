"""Write files in one piece, and through no link."""
