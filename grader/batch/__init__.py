"""Many submissions: grade a class, fill a gradebook, collect points of written answers."""
