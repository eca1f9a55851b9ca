"""What similarity does a cosine stand for? A curve to apply, of encoders and of spaces, from scored pairs."""
