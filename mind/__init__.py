"""mind: see ARCHITECTURE.md."""
