"""Why is a word unstable? A regression of words' stability on what is known of them."""
