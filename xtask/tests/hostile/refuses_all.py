"""It refuses everything, in 1 MiB each time."""

from base import *

line.sendall(greeting())
for call in calls():
    line.sendall(outcome(call, REJECTED, text("r" * (1 << 20))))
