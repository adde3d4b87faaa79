"""`rehearse`: a command that lives on a stage while its branch follows what it writes."""
