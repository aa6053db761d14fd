"""It promises an answer of 4 GiB."""

from base import *

serve(lambda call: b"\xff\xff\xff\xff\x03abc")
