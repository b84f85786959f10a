#!/bin/sh
# Marks words that begin with two capitals, or that hold a digit after a letter. Put your own program here.
exec sed -E 's/[A-Z]{2}[A-Za-z0-9-]*|[A-Za-z]+-?[0-9][A-Za-z0-9-]*/<gp>&<\/gp>/g'
