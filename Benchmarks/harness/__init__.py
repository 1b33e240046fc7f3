"""What runs stockbus and its peers, checks what they answer, and writes the tables."""
