"""It says what sums of an unknown type are held in."""

from base import *

line.sendall(greeting(sums=[(99, 2)]))
hang()
