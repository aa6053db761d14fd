"""It prints without end over a call, and ends."""

from base import *

def floods(_):
    for _ in range(2000):
        os.write(2, b"e" * 8192)
    os._exit(3)


serve(floods)
