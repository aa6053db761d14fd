"""It says that sums of floats are held in integers."""

from base import *

line.sendall(greeting(sums=[(0, 6)]))
hang()
