"""Its name has 40,000 bytes."""

from base import *

serve(right, hello=greeting(name="n" * 40000))
