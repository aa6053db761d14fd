"""It says no name."""

from base import *

line.sendall(greeting(name=""))
hang()
