"""graphs: see ARCHITECTURE.md."""
