"""What Parquet files say of themselves: read by ourselves and held against itself before Arrow opens one, and not believed."""
