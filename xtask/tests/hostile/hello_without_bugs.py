"""It does not say where bugs are reported."""

from base import *

line.sendall(greeting(bugs="\n"))
hang()
