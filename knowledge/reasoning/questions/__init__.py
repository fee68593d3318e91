"""Questions in ordinary words, answered by a method: read, checked, solved and said (see `answers`)."""
