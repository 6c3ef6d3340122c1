"""Balance analysis: what a variant of a game is like, and what a change of rules does.

A balance config becomes an ordinary tournament (`config`), played and stored like any other; all else is a pure
function of a run folder. Lower modules first:

* `config` the YAML of `arena balance`; `without` the bot that may not use something
* `inference` estimates, intervals and tests from sums over deals
* `samples` the matches of one variant that count; `replays` what only a re-play shows
* `seats`, `outcome`, `length`, `skill`, `drama`, `usage` the measures
* `comparison` variants against the baseline, and the null variant; `interventions` causal differences
* `analysis` all tables of a run; `verdict` what they say in words; `page` text, Markdown, CSV
"""
