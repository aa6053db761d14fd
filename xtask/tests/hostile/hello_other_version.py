"""Its hello is of another version."""

from base import *

line.sendall(greeting(protocol=9))
hang()
