"""Starting the server on standard input and output."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from qdsl.lsp import features_read, features_test, features_texts, features_write
from qdsl.lsp.server import RuleServer

FEATURES = (features_texts, features_read, features_write, features_test)


def make_server() -> RuleServer:
    """A server with everything that it can do."""
    server = RuleServer()
    for feature in FEATURES:
        feature.register(server)
    return server


def serve() -> None:
    """Serves one editor until it says goodbye. What anything prints goes to stderr: stdout is the protocol's."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    out = os.fdopen(os.dup(1), "wb")
    sys.stdout.flush()
    os.dup2(2, 1)
    make_server().start_io(sys.stdin.buffer, out)


def _leave(number: int, _frame: FrameType | None) -> None:
    """At once: a thread that waits for the editor's next word cannot be interrupted, and nothing is half written."""
    os._exit(128 + number)
