"""It ends inside an answer."""

from base import *

def cuts(call):
    line.sendall(right(call)[:-1])
    os._exit(3)


serve(cuts)
