"""backends: see ARCHITECTURE.md."""
