"""A headless browser, and what it finds wrong with a page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from grader.class_report.printing import BROWSERS
from grader.class_report.printing import browser as executable

PHONE, DESKTOP = 360, 1280

LABELS = """() => {
  const problems = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const name = (element) => (element.getAttribute('aria-label') || element.textContent).trim();
  const shown = (element) => element.tagName + ' ' + name(element).slice(0, 40);
  if (all('h1').length !== 1) problems.push('not one h1');
  let level = 0;
  for (const heading of all('h1, h2, h3, h4, h5, h6')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) problems.push('a level is left out before ' + shown(heading));
    if (!name(heading)) problems.push('an empty heading');
    level = own;
  }
  for (const landmark of ['header', 'nav', 'main'])
    if (!document.querySelector(landmark)) problems.push('no ' + landmark);
  if (!document.documentElement.lang) problems.push('no language');
  if (!document.title) problems.push('no title');
  for (const table of all('table')) {
    if (!table.caption || !name(table.caption)) problems.push('a table without a caption');
    if ([...table.querySelectorAll('th')].some((head) => !head.scope))
      problems.push('a head of a table without a scope');
    if (!table.querySelector('th')) problems.push('a table without heads');
  }
  for (const picture of all('svg, img, canvas')) {
    const label = picture.getAttribute('aria-label') || picture.getAttribute('alt');
    if (picture.getAttribute('aria-hidden') === 'true') continue;
    if (picture.tagName === 'svg' && picture.getAttribute('role') !== 'img')
      problems.push('an svg that is no picture');
    if (!label) problems.push('a picture without words');
  }
  for (const sign of all('[role=img]'))
    if (!sign.getAttribute('aria-label')) problems.push('a sign without words');
  for (const part of all('nav, section, [role=region], summary, a'))
    if (!name(part)) problems.push('no name: ' + part.tagName);
  const ids = all('[id]').map((element) => element.id);
  if (new Set(ids).size !== ids.length) problems.push('an id twice');
  for (const link of all('a[href]')) {
    const target = link.getAttribute('href');
    if (!target.startsWith('#')) problems.push('a link away: ' + target);
    else if (!ids.includes(target.slice(1))) problems.push('a link to nowhere: ' + target);
  }
  return problems;
}"""
CONTRAST = """() => {
  const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const parts = (colour) => {
    context.clearRect(0, 0, 1, 1); context.fillStyle = colour; context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((p) => p <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4)
    .reduce((sum, p, place) => sum + p * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parts(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const problems = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest('svg, style')) continue;
    const pair = [parts(getComputedStyle(element).color), behind(element)].map(luminance);
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5)
      problems.add('hard to read, ' + ratio.toFixed(2) + ': ' + element.outerHTML.slice(0, 60));
  }
  return [...problems];
}"""
OVERFLOW = """() => {
  const root = document.documentElement;
  const found = root.scrollWidth > root.clientWidth ? ['the page scrolls sideways'] : [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('svg, .skip') || element.parentElement.closest('.wide')) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 1 && box.right > root.clientWidth + 1)
      found.push('out of sight: ' + element.outerHTML.slice(0, 60));
  }
  return found.slice(0, 5);
}"""


@contextmanager
def opened() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    path = executable()
    if path is None:
        pytest.skip(f"no browser here: none of {', '.join(BROWSERS)} (apt-get install chromium)")
    driver = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with driver.sync_playwright() as playwright:
        # Inside a container, and as root, there is no sandbox of Chromium's.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def page(browser: Any, file: Path, width: int, scheme: str) -> Iterator[tuple[Any, list[str]]]:
    """A page of that width, and a list that fills with what it says and asks for."""
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, service_workers="block"
    )
    said: list[str] = []
    found = context.new_page()
    own = file.resolve().as_uri()

    def answer(route: Any) -> None:
        if route.request.url.partition("#")[0] == own:
            route.continue_()
        else:
            said.append(f"asks for {route.request.url}")
            route.abort()

    found.route("**/*", answer)
    found.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    found.on("pageerror", lambda error: said.append(f"error: {error}"))
    found.goto(own)
    yield found, said
    context.close()


def unfold(page: Any) -> None:
    """Opens everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")


def by_axe(page: Any) -> list[str]:
    """The violations that axe-core reports, each with the first element that it is about."""
    axe = pytest.importorskip("axe_playwright_python.base", reason="make lint installs it")
    page.evaluate(axe.AXE_FILE_PATH.read_text(encoding="utf-8"))
    result = page.evaluate("axe.run()")
    return [
        f"axe: {one['id']}: {one['help']}: {one['nodes'][0]['html'][:60]}"
        for one in result["violations"]
    ]


def problems(browser: Any, file: Path, width: int, scheme: str) -> list[str]:
    """All that is wrong with a page, folded and unfolded; an empty list if nothing is."""
    with page(browser, file, width, scheme) as (open_, said):
        found = open_.evaluate(OVERFLOW)
        unfold(open_)
        found += open_.evaluate(OVERFLOW) + open_.evaluate(LABELS) + open_.evaluate(CONTRAST)
        found += by_axe(open_)
        return [*dict.fromkeys([*said, *found])]
