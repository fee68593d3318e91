"""A decision as a machine: the question, the gate where a person answers, and the answer on record."""
