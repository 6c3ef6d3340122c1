"""`arena web`: runs, reports and replays in a browser, and tables where people and bots sit down together."""
