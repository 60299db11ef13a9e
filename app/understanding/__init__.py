"""What a message wants: the form of its question, told by a trained head."""
