"""It sends half an answer."""

from base import *

def stalls(call):
    line.sendall(right(call)[:9])
    hang()


serve(stalls)
