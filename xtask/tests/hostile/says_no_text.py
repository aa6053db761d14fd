"""It refuses in words that are not UTF-8."""

from base import *

serve(lambda call: outcome(call, REJECTED, text(b"\xc3\x28")))
