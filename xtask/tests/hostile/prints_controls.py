"""It dies with words that erase the screen."""

from base import *

def prints(_):
    os.write(2, "\x1b[2J\u202eall is well\u200b\x00\n".encode())
    os._exit(3)


serve(prints)
