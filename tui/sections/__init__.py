"""What the details say about one offer, a file for each kind of fact."""
