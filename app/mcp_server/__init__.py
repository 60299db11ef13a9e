"""The product for MCP clients: the tools, the assistant, read-only data and prompts, over the same services as REST."""
