"""Says why on stderr and ends before it has answered anything."""

import sys

sys.stderr.write("the token s3cret-t0ken is wrong\n")
sys.exit(3)
