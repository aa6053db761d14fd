"""It starts 50 processes, and ends."""

from base import *

def leaves(_):
    for _ in range(50):
        subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    os._exit(1)


serve(leaves)
