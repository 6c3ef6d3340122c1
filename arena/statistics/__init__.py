"""Numbers from numbers: no files, no frames, no games."""
