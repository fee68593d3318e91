"""The heartbeat: find the agents, maintain each mind, report (S0 section 10, S3 section 18)."""
