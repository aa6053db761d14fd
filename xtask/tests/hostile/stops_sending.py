"""It closes one way of the connection."""

from base import *

def stops(_):
    line.shutdown(socket.SHUT_WR)
    hang()


serve(stops)
