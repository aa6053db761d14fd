"""It answers every second time otherwise."""

from base import *

count = itertools.count()
serve(lambda call: right(call) if next(count) % 2 else outcome(call, REJECTED, text("not now")))
