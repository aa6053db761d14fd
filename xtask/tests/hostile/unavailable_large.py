"""It says in 8 MiB that there is nobody to judge."""

from base import *

line.sendall(frame(UNAVAILABLE, text("no" * (4 << 20))))
hang()
