"""It keeps an answer back until the next call."""

from base import *

line.sendall(greeting())
held = b""
for call in calls():
    if call.shape == (1, 2):
        held = right(call)
    else:
        line.sendall(right(call) + held)
        held = b""
