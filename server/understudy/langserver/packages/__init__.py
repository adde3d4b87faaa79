"""What servers are installed from: names in registries, and the tools that fetch them."""
