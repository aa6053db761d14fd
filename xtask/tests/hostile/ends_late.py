"""It goes on after the judge hung up."""

from base import *

try:
    serve(right)
finally:
    hang()
