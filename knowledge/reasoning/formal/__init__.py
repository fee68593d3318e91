"""The formal methods of reasoning; `problems` has the schemas, each other file is one method."""
