"""What a tool needs, read from its own schema, and what a message fills of it: nothing here knows a tool by name."""
