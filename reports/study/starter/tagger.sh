#!/bin/sh
# Marks words that begin with two capital letters, or that contain a digit after a letter. Replace with your program.
exec sed -E 's/[A-Z]{2}[A-Za-z0-9-]*|[A-Za-z]+-?[0-9][A-Za-z0-9-]*/<gp>&<\/gp>/g'
