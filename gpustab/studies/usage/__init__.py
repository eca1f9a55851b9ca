"""Are words used differently in two periods? Every occurrence as a contextual encoder reads it."""
