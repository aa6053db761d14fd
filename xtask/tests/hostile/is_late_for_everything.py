"""It answers nothing."""

from base import *

line.sendall(greeting())
hang()
