"""Its answer goes on after the end."""

from base import *

serve(lambda call: frame(ANSWER, right(call)[5:] + b"0"))
