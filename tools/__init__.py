"""tools: see ARCHITECTURE.md."""
