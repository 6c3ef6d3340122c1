"""A search for the variant of a game that meets targets: `arena balance CONFIG --search`.

Lower modules first: `targets` what a good game is; `wanted` the config; `near` how far from the printed rules;
`readings` what matches say of a target; `front` which variants are better; `search` plays it; `advice` what may be
said of it; `effects` which option moves what; `tables`, `sought`, `page` what people read; `command`.
"""
