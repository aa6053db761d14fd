"""It refuses in 64 MiB."""

from base import *

serve(lambda call: outcome(call, REJECTED, text("w" * (64 << 20))))
