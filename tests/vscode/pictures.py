"""What a screenshot shows, as far as a program can tell."""

from __future__ import annotations

import base64

from playwright.sync_api import Locator, Page


def n_colours(place: Locator) -> int:
    """How many colours a picture of this place has; one or two mean that nothing was drawn."""
    picture = base64.b64encode(place.screenshot()).decode()
    return place.page.evaluate(_COUNT, picture)


def underlined(page: Page, line: str = "wavy") -> list[str]:
    """The texts that have such a line, once there are some."""
    return page.wait_for_function(UNDERLINED, arg=line).json_value()


_COUNT = """async (picture) => {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""
UNDERLINED = """(line) => {
  const found = [...document.querySelectorAll(".view-line span")].filter((one) => {
    const style = getComputedStyle(one);
    return style.textDecorationLine === "underline" && style.textDecorationStyle === line;
  });
  const texts = found.map((one) => one.textContent.replaceAll("\\u00a0", " "));
  return texts.length === 0 ? null : texts;
}"""
