"""The verb `batch`: patches of many repositories and revisions, judged a row each."""
