"""Tournaments: schedules, execution on Ray, storage, ratings, tables, reports."""
