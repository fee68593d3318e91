"""The steps of the machine `reason`: choose the methods, run each, say what they come to."""
