"""simulation: see ARCHITECTURE.md."""
