"""The report as one HTML page: an overview to sort and filter, and a view of each case, its changes first."""

import base64
import zlib
from importlib.resources import files
from typing import ClassVar

from wfgate.decide import GateResult
from wfgate.show.base import Reporter
from wfgate.show.page import document
from wfgate.show.view import RunView


class HtmlReporter(Reporter):
    """One self-contained HTML page: a table of cases, the worst first, and a picture of the changes of each case.

    Cases are accepted or refused on the page, which then lists the commands. The view of a case is compressed (zlib,
    base64) until it is opened, so that pages of large suites stay small.
    """

    id: ClassVar[str] = "html"
    draws: ClassVar[bool] = True

    def render(self, result: GateResult) -> str:
        """Return the page."""
        # A tenth of a cold start, which the other reporters do not need.
        from wfgate.show.html.case import case_view  # noqa: PLC0415
        from wfgate.show.html.overview import decided, overview, worst_first  # noqa: PLC0415
        from wfgate.show.picture.svg import picture_style  # noqa: PLC0415

        run = RunView(result)
        views = worst_first(run)
        packed = "".join(
            f'<script type="text/plain" id="packed-{place}">{_packed(case_view(view, place))}</script>\n'
            for place, view in enumerate(views)
        )
        body = f'{overview(views, run)}<main id="case" hidden></main>\n{decided()}{packed}'
        style = _text("page.css") + picture_style()
        title = f"wfgate: {run.verdict}"
        return document(body, title=title, style=style, script=_text("page.js"))


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def _text(name: str) -> str:
    return (files("wfgate.show.html") / name).read_text(encoding="utf-8")
