"""It closes standard error, and ends."""

from base import *

def closes(_):
    os.close(2)
    os._exit(3)


serve(closes)
