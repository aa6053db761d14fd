"""It says no version."""

from base import *

line.sendall(greeting(version=" "))
hang()
