"""Keep the sessions of many phones in one lake of Parquet files, and answer questions."""
