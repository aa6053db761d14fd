"""It answers calls 1 to 99 before anything is asked."""

from base import *

serve(right, hello=greeting() + b"".join(outcome(n, REJECTED, text("forged")) for n in range(1, 100)))
