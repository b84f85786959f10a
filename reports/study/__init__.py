"""Studies: experiments that are described by one file."""
