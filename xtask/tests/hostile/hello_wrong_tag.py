"""It answers before it says hello."""

from base import *

line.sendall(result(1, F32, [], b"1234"))
hang()
