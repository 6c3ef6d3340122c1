"""A match being played: the referee, seats for bots inside and outside, a person at the terminal."""
