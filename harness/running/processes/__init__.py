"""A stranger's programs: started, held to limits, and ended with all that they leave behind."""
