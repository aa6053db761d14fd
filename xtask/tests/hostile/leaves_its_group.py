"""Over every call it starts a process that never ends, in a session of its own."""

from base import *

def leaves(call):
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL, start_new_session=True)
    return right(call)


serve(leaves)
