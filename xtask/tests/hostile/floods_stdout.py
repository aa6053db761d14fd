"""It prints 16 MiB on standard output."""

from base import *

def floods(call):
    for _ in range(2000):
        os.write(1, b"o" * 8192)
    return right(call)


serve(floods)
