"""Writers of a Result: terminal, JSON, Parquet tables and one self-contained HTML page."""
