"""It answers with nothing."""

from base import *

serve(lambda call: frame(ANSWER, b""))
