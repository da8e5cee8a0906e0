"""Pictures of the pages in `docs/assets`, in the light theme above the dark one, taken by Chromium.

Each holds a digest of what its page says, so that one that is out of date is found where there is no browser.
"""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.documents.pictures import said

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1100, 800  # points of a screenshot
THEMES = {"light": 1, "dark": 0}  # as the browser counts them
COLOURS = 256
DIGEST = "page"


def digest(page: Path) -> str:
    return hashlib.sha256(repr(sorted(said(page).items())).encode()).hexdigest()[:16]


def digest_of(picture: Path) -> str | None:
    """What the page said when its picture was taken."""
    from PIL import Image

    with Image.open(picture) as image:
        found: str | None = image.info.get(DIGEST)
    return found


def browser() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def take(page: Path, picture: Path) -> None:
    """Take the picture of a page, without the empty rows at its end."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    both = [_shot(page, theme) for theme in THEMES.values()]
    height = min(HEIGHT, max(map(_last_row, both)) + 16)
    whole = Image.new("RGB", (WIDTH, 2 * height))
    for number, image in enumerate(both):
        whole.paste(image.crop((0, 0, WIDTH, height)), (0, number * height))
    mark = PngInfo()
    mark.add_text(DIGEST, digest(page))
    whole.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        picture, optimize=True, pnginfo=mark
    )


def _shot(page: Path, theme: int) -> Any:
    from PIL import Image

    where = browser()
    assert where is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shot.png"
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        flags += [f"--blink-settings=preferredColorScheme={theme}", f"--window-size={WIDTH},{HEIGHT}"]
        subprocess.run(
            [where, *flags, f"--user-data-dir={folder}/profile", f"--screenshot={file}", page.as_uri()],
            check=True,
            capture_output=True,
            timeout=60,
        )
        return Image.open(file).convert("RGB").copy()


def _last_row(image: Any) -> int:
    """The last row that is not of the colour of the last corner."""
    from PIL import Image, ImageChops

    ground = Image.new("RGB", image.size, image.getpixel((image.width - 1, image.height - 1)))
    found = ImageChops.difference(image, ground).getbbox()
    return int(found[3]) if found else 0
