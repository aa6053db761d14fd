"""It supports nothing, and says so in 1 MiB each time."""

from base import *

line.sendall(greeting())
for call in calls():
    line.sendall(outcome(call, UNSUPPORTED, text("u" * (1 << 20))))
