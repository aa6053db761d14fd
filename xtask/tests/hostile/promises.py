"""It promises an answer of 1 GiB, and ends."""

from base import *

def promises(_):
    line.sendall(b"\xff\xff\xff\x3f\x03abc")
    os._exit(3)


serve(promises)
