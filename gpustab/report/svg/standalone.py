"""A figure as a file for papers: plain colours and lines that every program draws alike, as SVG, PDF or PNG.

On a page a figure takes its colours from variables of the page's style, which only browsers know: elsewhere all of it
is black. So a file has no style; what classes say stands at each element.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from importlib.util import find_spec
from xml.etree import ElementTree

from gpustab.errors import InputError
from gpustab.installing import install
from gpustab.options import FigureFormat
from gpustab.report.svg.colours import LETTERS, RULES, light

_SPACE = "http://www.w3.org/2000/svg"
_MILLIMETRES = 0.21
"""Of a unit: a panel is 84 mm wide, a column of most journals, and its letters are of 7 points."""
_DOTS = 300
"""Of a PNG, per inch."""
_FONT = {"font-family": "Liberation Sans, Arial, Helvetica, sans-serif", "font-size": "12"}

_CAIRO = "apt install libcairo2, brew install cairo, or conda install cairo"

ElementTree.register_namespace("", _SPACE)


def standalone(svg: str) -> str:
    """Return a figure whose colours, lines and letters need neither a page nor a style; its paper is white.

    >>> print(standalone('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 9"><path class="g0 line"/></svg>'))
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 9" width="84mm" height="1.89mm" \
font-family="Liberation Sans, Arial, Helvetica, sans-serif" font-size="12"><path fill="none" stroke="#0067a5" \
stroke-width="2" stroke-linejoin="round" /></svg>
    """
    root = ElementTree.fromstring(svg)  # noqa: S314  # of our own making
    _settle(root, light("ink"))
    _, _, width, height = map(float, root.get("viewBox", "0 0 0 0").split())
    root.attrib |= {"width": f"{width * _MILLIMETRES:g}mm", "height": f"{height * _MILLIMETRES:g}mm", **_FONT}
    return ElementTree.tostring(root, encoding="unicode")


def _settle(element: ElementTree.Element, colour: str) -> None:
    """Put at an element and all within it what their classes say; the colour is that of what it lies in."""
    classes = element.attrib.pop("class", "").split()
    said: dict[str, str] = {}
    for name, properties in RULES:
        if name in classes or (name == LETTERS and element.tag == f"{{{_SPACE}}}{LETTERS}"):
            said |= properties
    colour = light(said.pop("color")) if "color" in said else colour
    behind = said.pop("paint-order", "")
    element.attrib |= {name: colour if value == "currentColor" else light(value) for name, value in said.items()}
    for child in list(element):
        _settle(child, colour)
    if behind:
        _in_two(element)


def _in_two(element: ElementTree.Element) -> None:
    """Draw what has a halo twice, the halo first: not every program knows that an outline may lie behind letters."""
    front = deepcopy(element)
    for name in [name for name in front.attrib if name.startswith("stroke")]:
        del front.attrib[name]
    back = deepcopy(element)
    element.tag, element.text = f"{{{_SPACE}}}g", None
    element.attrib.clear()
    element[:] = [back, front]
    back.tail = front.tail = None


def check_formats(formats: Sequence[FigureFormat]) -> None:
    """Refuse formats of figures that cannot be written.

    Raises:
        InputError: naming the package that a format needs.
    """
    if wanted := " and ".join(sorted(set(formats) - {"svg"})):
        if find_spec("cairosvg") is None:
            raise InputError(f"figures as {wanted} need cairosvg: {install('figures')}")
        try:
            import cairosvg  # noqa: F401
        except OSError:  # of a library that pip does not bring
            raise InputError(
                f"figures as {wanted} need the library cairo, which the system installs: {_CAIRO}"
            ) from None


def written_as(svg: str, formats: Sequence[FigureFormat]) -> Iterator[tuple[FigureFormat, bytes]]:
    """Yield a figure in each format; a PNG has 300 dots an inch, on white."""
    plain = standalone(svg)
    for name in formats:
        yield name, plain.encode() if name == "svg" else _converted(plain, name)


def _converted(svg: str, name: FigureFormat) -> bytes:
    import cairosvg

    convert: Mapping[str, Callable[..., bytes]] = {"pdf": cairosvg.svg2pdf, "png": cairosvg.svg2png}
    size = re.search(r'width="([\d.]+)mm"', svg)
    dots = {"output_width": round(float(size[1]) / 25.4 * _DOTS), "background_color": "#ffffff"} if size else {}
    return convert[name](bytestring=svg.encode(), **(dots if name == "png" else {}))
