"""What several studies say alike."""
