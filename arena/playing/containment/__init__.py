"""Bots in processes of their own: started, asked, watched and ended, whatever they do.

Each worker has one *keeper*, a process that starts the bots and outlives none of them. Worker and bot
speak through two pipes: packets with a Python bot, lines of JSON with a program in another language.
"""
