"""It ends over a call, and a child of it holds the connection."""

from base import *

def leaves(_):
    subprocess.Popen(["sleep", "60"])
    os._exit(1)


serve(leaves)
