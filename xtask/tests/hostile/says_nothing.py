"""It refuses without a word."""

from base import *

serve(lambda call: outcome(call, REJECTED, text("")))
