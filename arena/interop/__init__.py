"""Games and bots among the libraries that others use; each module says which extra of the package it needs."""
