"""It answers, and ends."""

from base import *

def answers(call):
    line.sendall(right(call))
    os._exit(3)


serve(answers)
