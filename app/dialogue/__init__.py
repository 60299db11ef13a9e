"""What the talk has shown so far, and what words that point back mean by it."""
