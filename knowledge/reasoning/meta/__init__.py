"""The meta methods of reasoning: each file has the schema of its problems and the method."""
