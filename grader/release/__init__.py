"""Make what leaves a course's folder: the kit of students, and the sealed file for graders."""
