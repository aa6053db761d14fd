"""It says hello twice."""

from base import *

serve(right, hello=greeting() + greeting())
