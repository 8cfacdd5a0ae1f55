"""Interrupts (Ctrl-C, SIGTERM from a build server): a command ends within about a second, whatever it computes."""

import os
import signal
import threading
from contextlib import suppress
from types import FrameType

EXIT_INTERRUPTED = 130
GRACE = 0.7
"""Seconds that native code may still compute after a signal. Python runs the handler of a signal only between two of
its own instructions, and a solver or a network may compute for minutes in one of them."""

_handled = threading.Event()


def handle_interrupts() -> None:
    """Make SIGINT and SIGTERM raise KeyboardInterrupt in the main thread, so that no file is left half-written.

    If the main thread is inside native code that does not return, the process ends without it: exit code 130, files
    in work stay under their temporary names. Native code that holds Python's lock cannot be stopped in this way; each
    such computation has a limit. Windows has no SIGTERM; there only the handler is set.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # a script runs the command in the background
        signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    if os.name == "nt" or signal.set_wakeup_fd(-1) != -1:
        return
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, end == reading)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), name="interrupts", daemon=True).start()


def end_when_interrupted() -> None:
    """Make SIGINT and SIGTERM end the process at once, for a server that writes nothing.

    An exception would have to leave its event loop, which waits for the thread that reads standard input.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, _end)


def tell_interrupted() -> None:
    """Write the error message of an interrupt; without the modules for messages, whose import takes up to a second."""
    with suppress(OSError):  # not `sys.stderr`, which another thread may hold
        os.write(2, b"error: interrupted\n")


def _interrupt(number: int, frame: FrameType | None) -> None:
    _handled.set()
    signal.default_int_handler(number, frame)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the form of a handler
    tell_interrupted()
    os._exit(EXIT_INTERRUPTED)


def _watch(reading: int) -> None:
    """End the process if the main thread does not handle a signal, whose number is written to the pipe at once."""
    while number := os.read(reading, 1):
        if signal.getsignal(number[0]) not in (_interrupt, _end):
            continue
        if not _handled.wait(GRACE):
            _end(number[0], None)
        _handled.clear()
