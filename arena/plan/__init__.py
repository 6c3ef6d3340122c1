"""What shall be played: configs, tournaments, schedules, identities, questions."""
