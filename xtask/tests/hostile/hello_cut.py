"""It ends inside its hello."""

from base import *

line.sendall(greeting()[:20])
