"""The LSP server: lifecycle, documents, and the custom requests `understudy/*`."""
