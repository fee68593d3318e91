"""What an agent does: answers to questions, actions a person approved, and the steps of its plan."""
