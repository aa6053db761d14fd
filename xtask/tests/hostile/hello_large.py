"""Its hello has 64 MiB."""

from base import *

line.sendall(greeting(name="n" * (64 << 20)))
hang()
