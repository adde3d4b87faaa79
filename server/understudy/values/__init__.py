"""Words everything else is made of: errors, paths, texts, positions, findings, verdicts, stamps."""
