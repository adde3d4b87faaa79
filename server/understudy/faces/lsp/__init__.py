"""The LSP server: lifecycle, documents, and the custom requests `understudy/*`."""

from understudy.faces.lsp.protocol_types import load_types

load_types()  # before anything here, or pygls, loads them
