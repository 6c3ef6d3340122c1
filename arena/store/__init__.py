"""The folder of a run: files, Parquet parts, its record, where results come from."""
