"""Over every call it starts a process that never ends."""

from base import *

def leaves(call):
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    return right(call)


serve(leaves)
