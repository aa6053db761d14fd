"""Its hello is of another protocol."""

from base import *

line.sendall(greeting(magic=b"PROTOCOL"))
hang()
