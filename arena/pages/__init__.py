"""Pages to look at: reports, leaderboards and replays as single HTML files that need no network."""
