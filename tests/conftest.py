"""What all tests share: nothing they compute is left in, or taken from, the folders of whoever runs them."""

import os
import signal

os.environ["WFGATE_CACHE"] = "off"
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script; processes under test inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
