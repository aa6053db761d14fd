"""It says twice what the sums of a type are held in."""

from base import *

line.sendall(greeting(sums=[(0, 2), (0, 2)]))
hang()
