"""What all tests share: nothing they compute is left in, or taken from, the folders of whoever runs them."""

import os

os.environ["WFGATE_CACHE"] = "off"
