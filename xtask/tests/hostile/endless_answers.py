"""It answers without end."""

from base import *

def endless(call):
    while True:
        line.sendall(right(call))


serve(endless)
