"""A byte follows its hello."""

from base import *

line.sendall(greeting(more=b"\1\1"))
hang()
