"""It closes the connection and runs on."""

from base import *

def hangs_up(_):
    line.shutdown(socket.SHUT_RDWR)
    hang()


serve(hangs_up)
