"""The experience methods of reasoning; `problems` has the schemas, each other file is one method."""
