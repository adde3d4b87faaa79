"""Outlines of broken text: read in pieces, put together with what the whole parse found."""
