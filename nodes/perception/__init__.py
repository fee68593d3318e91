"""What reaches an agent, and what it makes of it: messages, dropped documents, measured numbers."""
