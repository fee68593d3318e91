"""Turning an agent's input into beliefs and desires: messages, dropped documents, measured numbers."""
