"""It sends a byte of its answer now and then."""

from base import *

def dribbles(call):
    for byte in right(call):
        line.sendall(bytes([byte]))
        time.sleep(0.2)


serve(dribbles)
