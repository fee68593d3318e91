"""A call for proposals as a machine: call, collect the answers, score, award, and wait for the result."""
