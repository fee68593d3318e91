"""The heartbeat: discover the agents, tend each mind, report (S0 section 10, S3 section 18)."""
