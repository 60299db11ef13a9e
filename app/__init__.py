"""A Korean insurance assistant: 54 tools, a router that picks the few that fit, and a guarded five-node graph."""
