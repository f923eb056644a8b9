"""Read and check what an author writes: course, rubric, mistakes, explanations, questions."""
