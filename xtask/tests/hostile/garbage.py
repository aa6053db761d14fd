"""It sends bytes that are no frame."""

from base import *

serve(lambda call: b"\xa5" * 4096)
