"""It answers, and answers the next call before it is asked."""

from base import *

serve(lambda call: right(call) + outcome(call.number + 1 & 2**64 - 1, REJECTED, text("forged")))
