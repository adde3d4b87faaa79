"""Real language servers: processes, connections, documents, freshness rules, leases."""
