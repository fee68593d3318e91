"""configs: see ARCHITECTURE.md."""
