"""A proposal for a household, computed from tool calls alone."""
