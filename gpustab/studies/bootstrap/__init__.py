"""Which neighbours of the query words can you trust? Antoniak & Mimno (2018) on any corpus or run set."""
