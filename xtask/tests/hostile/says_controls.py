"""It refuses in words that turn the writing around, erase the screen, and forge a line of the report."""

from base import *

serve(lambda call: outcome(call, REJECTED, text("\x1b[2J\x07\u202eoops\u200b\n  7 conform\r\x9b1A")))
