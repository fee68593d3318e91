"""Questions in ordinary words, read, checked, solved by a method and answered (see `answers`)."""
