"""workspace: see ARCHITECTURE.md."""
