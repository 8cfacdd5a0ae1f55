"""One self-contained HTML page. Its content security policy allows only the style and script of the page."""

import base64
import hashlib
import html
from collections.abc import Mapping, Sequence
from typing import Any

STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --soft: #f6f8fa; --text: #1f2328; --back: #fff; --link: #0969da }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --soft: #151b23; --text: #e6edf3; --back: #0d1117; --link: #4493f8 }
  svg { background: #fff; border-radius: 6px }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 62rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
h1, h2, h3 { line-height: 1.25; margin: 2em 0 .6em } h1 { margin-top: 0 }
h2 { border-bottom: 1px solid var(--line); padding-bottom: .3em }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .875em; font-variant-numeric: tabular-nums }
th, td { border: 1px solid var(--line); padding: .3em .6em; text-align: left; vertical-align: top }
thead th { background: var(--soft); position: sticky; top: 0 }
figure { margin: 1.5em 0 } figure svg { max-width: 100%; height: auto } figcaption { font-size: .875em; opacity: .85 }
a { color: var(--link) } code { background: var(--soft); padding: .1em .3em; border-radius: 4px }
"""


def html_page(markdown: str, *, title: str, drawings: Mapping[str, str]) -> str:
    """Return the page.

    Args:
        markdown: The report, with untrusted text escaped; raw HTML is shown as text.
        title: Title of the page.
        drawings: SVG by image address. Each image in the Markdown is replaced by the SVG with its address.
    """
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only where a page is written

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")

    def image(_renderer: Any, tokens: Sequence[Any], place: int, _options: Any, _env: Any) -> str:
        token = tokens[place]
        drawing = drawings.get(str(token.attrs.get("src", "")), "")
        label = html.escape(token.content)
        return f'<figure role="img" aria-label="{label}">{drawing}<figcaption>{label}</figcaption></figure>'

    parser.add_render_rule("image", image)
    parser.add_render_rule("table_open", lambda *_: '<div class="wide"><table>\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    body = parser.render(markdown).replace("<p><figure", "<figure").replace("</figure></p>", "</figure>")
    # Drawings of matplotlib are styled element by element, which no hash can allow.
    return document(body, title=title, style=STYLE, styled_inline=True)


def document(body: str, *, title: str, style: str, script: str = "", styled_inline: bool = False) -> str:
    """Return a page whose content security policy allows its own style and script, by hash, and nothing else.

    Args:
        body: HTML, with untrusted text escaped.
        title: Title of the page.
        style: Style sheet.
        script: Script after the body; may be empty.
        styled_inline: Whether style attributes are allowed.
    """
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "img-src data:"]
    allowed.append(f"style-src {_hash(style)}" if not styled_inline else "style-src 'unsafe-inline'")
    allowed += [f"script-src {_hash(script)}"] if script else []
    run = f"<script>{script}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(allowed)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}{run}</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
