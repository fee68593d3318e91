"""The entity memory: what is known of insights, concepts, patterns, decisions and agents (S2).

Pure parts: `likeness` and `blocking` under `resolution` (which records are the same thing).
"""
