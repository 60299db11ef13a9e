"""The first sentence of an answer: an operator of the question's form over the facts of results."""
