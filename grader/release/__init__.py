"""Make what leaves a course's folder: the sealed file for those who grade."""
