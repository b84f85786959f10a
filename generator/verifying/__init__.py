"""What a finished suite covers, found by plain means: nothing here is shared with the choice of cases."""
