"""Its hello promises 4 GiB."""

from base import *

line.sendall(b"\xff\xff\xff\xff\x01" + b"NORMATIV")
hang()
