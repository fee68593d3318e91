"""nodes: see ARCHITECTURE.md."""
