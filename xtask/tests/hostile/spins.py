"""It computes for ever."""

from base import *

def spins(_):
    while True:
        pass


serve(spins)
