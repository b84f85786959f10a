"""Python functions as taggers: what they answer, how they are called, in a process of their own or in ours."""
