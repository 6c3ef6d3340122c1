"""Matches on their way to workers and back: batches, Ray, this process, progress."""
