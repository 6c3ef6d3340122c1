"""Stored matches as tidy tables, and what reports and boards say of them."""
