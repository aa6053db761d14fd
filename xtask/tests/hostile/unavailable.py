"""There is nobody to judge."""

from base import *

line.sendall(frame(UNAVAILABLE, text("no libx.so\nerror: all is well\x1b[0m")))
