"""The inputs of deliberation besides desires: a person's answers, and whether intentions are still sound."""
