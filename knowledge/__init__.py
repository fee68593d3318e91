"""knowledge: see ARCHITECTURE.md."""
