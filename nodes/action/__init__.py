"""The actions of an agent: answers to questions, approved actions, and the steps of its plan."""
