"""It ends over a call, and a child of it holds standard error."""

from base import *

def leaves(_):
    subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)
    os._exit(1)


serve(leaves)
