# Written by `make docs` from `__init__.py`.

from wfgate.mcp.server import serve as serve
