"""Searches for better options of bots and games: asked by Optuna, played as ordinary runs, confirmed on fresh deals."""
