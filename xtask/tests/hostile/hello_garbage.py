"""It prints in the place of a hello."""

from base import *

line.sendall(b"Hello, world! I print what I like.")
hang()
