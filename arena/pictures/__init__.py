"""Pictures of positions drawn: colours, letters, shapes, layout, SVG."""
