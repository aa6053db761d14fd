"""It ends, and a child of it holds the connection."""

from base import *

subprocess.Popen(["sleep", "60"])
sys.exit(1)
