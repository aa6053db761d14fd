"""Its name is not UTF-8."""

from base import *

line.sendall(greeting(name=b"\xff\xfe"))
hang()
