"""It ends before it says hello."""

from base import *

print("no library\nof that name", file=sys.stderr)
sys.exit(3)
