"""Bots: code that decides. Compiled templates for searches, and classes for anybody's own."""
