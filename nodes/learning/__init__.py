"""What a cycle leaves behind: memories of all it went through (`experiences`), cases and lessons (`episodes`)."""
