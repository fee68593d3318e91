"""What is kept of an intention that is over: a case, a memory, and a lesson where there is one."""
