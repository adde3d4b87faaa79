"""An ordinary language server over one branch, for any client."""
