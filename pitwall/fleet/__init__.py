"""Keep the sessions of many phones in one place, a lake of Parquet files, and answer questions
about them."""
