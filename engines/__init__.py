"""Rules of tabletop games as flat records and compiled kernels (numpy and numba only)."""
