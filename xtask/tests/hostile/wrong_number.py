"""It answers a call that nobody asked."""

from base import *

serve(lambda call: outcome(77, REJECTED, text("no")))
