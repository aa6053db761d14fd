"""It leaves a process whose parent has ended."""

from base import *

def leaves(call):
    subprocess.run("sleep 60 &", shell=True, stdin=subprocess.DEVNULL)
    return right(call)


serve(leaves)
