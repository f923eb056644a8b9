"""Name the last line of a wrong program whose value the right program computes as well."""
