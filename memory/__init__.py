"""memory: see ARCHITECTURE.md."""
