"""The shapes of Mermaid's boxes, and what they mean."""

from wfgate.formats.drawings import Shape

OPENERS: tuple[tuple[str, tuple[str, ...], Shape], ...] = (
    ("(-", ("-)", "/)", "))"), "rounded"),
    ("([", ("])",), "terminal"),
    ("[[", ("]]",), "box"),
    (">", ("]",), "box"),
    ("[(", (")]",), "box"),
    ("(((", (")))",), "terminal"),
    ("[/", ("/]", "\\]"), "box"),
    ("[\\", ("\\]", "/]"), "box"),
    ("((", ("))",), "terminal"),
    ("(", (")",), "rounded"),
    ("[", ("]",), "box"),
    ("{{", ("}}",), "preparation"),
    ("{", ("}",), "decision"),
)
"""How a box begins, how it ends, and what it is; longer beginnings stand before those that they begin with."""

_BY_SHAPE: dict[Shape, str] = {
    "terminal": "stadium terminal pill circle circ dbl-circ double-circle doublecircle sm-circ start small-circle "
    "stateStart fr-circ stop framed-circle stateEnd",
    "rounded": "rounded event roundedRect",
    "event": "delay half-rounded-rectangle",
    "decision": "diam diamond decision question choice",
    "preparation": "hex hexagon prepare",
    "bar": "fork join forkJoin",
    "point": "f-circ junction filled-circle",
    "note": "brace comment brace-l brace-r braces text note",
    "box": "rect proc process rectangle squareRect fr-rect subprocess subproc framed-rectangle subroutine cyl db "
    "database cylinder lean-r lean-right in-out lean_right lean-l lean-left out-in lean_left trap-b priority "
    "trapezoid-bottom trapezoid trap-t manual trapezoid-top inv-trapezoid inv_trapezoid notch-rect card "
    "notched-rectangle lin-rect lined-rectangle lined-process lin-proc shaded-process hourglass collate bolt com-link "
    "lightning-bolt doc document h-cyl das horizontal-cylinder lin-cyl disk lined-cylinder curv-trap curved-trapezoid "
    "display div-rect div-proc divided-rectangle divided-process tri extract triangle win-pane internal-storage "
    "window-pane notch-pent loop-limit notched-pentagon flip-tri manual-file flipped-triangle sl-rect manual-input "
    "sloped-rectangle docs documents st-doc stacked-document st-rect procs processes stacked-rectangle bow-rect "
    "stored-data bow-tie-rectangle cross-circ summary crossed-circle tag-doc tagged-document tag-rect "
    "tagged-rectangle tag-proc tagged-process flag paper-tape odd rect_left_inv_arrow lin-doc lined-document classBox "
    "class-box datastore data-store bang cloud state rectWithTitle labelRect iconSquare iconCircle icon iconRounded "
    "imageSquare kanbanItem anchor ellipse",
}

NAMED: dict[str, Shape] = {name: shape for shape, names in _BY_SHAPE.items() for name in names.split()}
"""What the shapes are that `@{ shape: NAME }` names."""
