"""mabos: see ARCHITECTURE.md."""
