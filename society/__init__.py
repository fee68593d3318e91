"""society: see ARCHITECTURE.md."""
