"""Formats of a tournament whose next round follows from the results of those before.

`courses.course_of` gives a format as a generator of rounds: a pure function of the number of
entrants, the seats of a table, the seed and the scores it is sent. It knows neither bots nor files,
so that the same results give the same pairings on any number of workers and after any interruption.
"""
