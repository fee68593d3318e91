"""The meta methods of reasoning; `problems` has the schemas, each other file is one method."""
