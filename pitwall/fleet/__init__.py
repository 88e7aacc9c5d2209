"""The sessions of many phones in one place: a lake of Parquet files, and what can be asked of it."""
