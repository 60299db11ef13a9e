"""Proposals for households."""
