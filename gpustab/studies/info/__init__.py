"""What files of vectors hold, and what reading them found: the load report of each."""
