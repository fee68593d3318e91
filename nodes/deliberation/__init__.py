"""What deliberation looks at beside desires: a person's answers, and whether intentions still make sense."""
