// What check_pages.py asks a page: about its looks here, about its controls in controls.js. Each function returns plain
// values; a list of texts is a list of findings.
"use strict";
var checks = {};

// `button "step"`: an element for people.
checks.name = (element) => {
  const isControl = ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
  const label = element.getAttribute("aria-label") || (isControl ? element.name : element.textContent) || element.id;
  const words = label.trim().replace(/\s+/g, " ").slice(0, 40);
  return element.tagName.toLowerCase() + (words ? ` "${words}"` : "");
};

checks.isVisible = (element) =>
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true }) &&
  element.getClientRects().length > 0;

// Words of main, shown or not; its scripts, styles and what stands in for scripts are none.
checks.text = () => {
  const main = document.querySelector("main");
  if (!main) return null;
  const copy = main.cloneNode(true);
  for (const element of copy.querySelectorAll("script, style, noscript, template")) element.remove();
  return copy.textContent.split(/\s+/).filter((word) => word);
};

// Returns when what was inside is laid out.
checks.openDetails = async () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (let frame = 0; frame < 2; ++frame) await new Promise(requestAnimationFrame);
};

// --- Layout ----------------------------------------------------------------------------------------------------------

checks.overflow = () => {
  const root = document.scrollingElement;
  const width = document.documentElement.clientWidth;
  if (root.scrollWidth <= width) return [];
  // Those whose own parent still fits, or scrolls, are not at fault.
  const scrolls = (element) => ["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(element).overflowX);
  const isContained = (element) => {
    for (let at = element.parentElement; at && at !== root; at = at.parentElement) if (scrolls(at)) return true;
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].filter(
    (element) => element.getBoundingClientRect().right > width + 0.5 && !isContained(element));
  const innermost = wide.filter((element) => !wide.some((other) => other !== element && element.contains(other)));
  const names = innermost.slice(0, 3).map(checks.name).join(", ");
  return [`the page scrolls sideways, ${root.scrollWidth} px in ${width} px` + (names ? `: ${names}` : "")];
};

const TOLERANCE = 2; // CSS pixels by which boxes of letters may overlap: most letters do not fill theirs
const SMALLEST_TEXT = 9; // CSS pixels

// The viewBox as it is shown, in CSS pixels of the window.
const frameOf = (svg) => {
  const box = svg.viewBox.baseVal;
  if (!box || box.width === 0) return svg.getBoundingClientRect();
  const matrix = svg.getScreenCTM();
  const [a, b] = [[box.x, box.y], [box.x + box.width, box.y + box.height]].map(
    ([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
  return { left: a.x, top: a.y, right: b.x, bottom: b.y };
};

checks.svgTexts = () => {
  const found = [];
  for (const svg of document.querySelectorAll("svg")) {
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() && checks.isVisible(text));
    if (!texts.length) continue;
    const frame = frameOf(svg);
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const title = svg.querySelector("title");
    const where = ` in svg "${title ? title.textContent.trim().slice(0, 40) : ""}"`;
    texts.forEach((text, i) => {
      const box = boxes[i];
      const outside = Math.max(frame.left - box.left, box.right - frame.right, frame.top - box.top,
        box.bottom - frame.bottom);
      if (outside > 1) found.push(`${checks.name(text)} is ${Math.ceil(outside)} px outside the viewBox${where}`);
      const matrix = text.getScreenCTM();
      const size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(matrix.a, matrix.b);
      if (size < SMALLEST_TEXT - 0.05) found.push(`${checks.name(text)} is ${size.toFixed(1)} px high${where}`);
      for (let j = 0; j < i; ++j) {
        const other = boxes[j];
        const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
        const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
        if (across > TOLERANCE && down > TOLERANCE) {
          found.push(`${checks.name(texts[j])} and ${checks.name(text)} overlap by ` +
            `${across.toFixed(0)} x ${down.toFixed(0)} px${where}`);
        }
      }
    });
  }
  return found;
};

// --- Colours ---------------------------------------------------------------------------------------------------------

const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

const known = new Map();

// [red, green, blue, alpha] of any colour of CSS, from 0 to 1.
const rgba = (colour) => {
  if (known.has(colour)) return known.get(colour);
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data].map((value) => value / 255));
  return known.get(colour);
};

// Relative luminance and contrast as WCAG 2.2 defines them.
const luminance = ([r, g, b]) => {
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
};

checks.contrast = (a, b) => {
  const [low, high] = [luminance(rgba(a)), luminance(rgba(b))].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

// The first opaque colour behind an element.
checks.background = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (rgba(colour)[3] > 0.99) return colour;
  }
  return "Canvas";
};

// Elements with text of their own that can hardly be distinguished from what is behind it.
checks.lostTexts = () => {
  const leastContrast = 3;
  const own = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.body.querySelectorAll("*")]
    .filter((element) => own(element) && checks.isVisible(element) && !element.closest("script, style, noscript"))
    .filter((element) => {
      const style = getComputedStyle(element);
      const colour = element instanceof SVGElement ? style.fill : style.color;
      return colour !== "none" && checks.contrast(colour, checks.background(element)) < leastContrast;
    })
    .slice(0, 5)
    .map((element) => `${checks.name(element)} cannot be distinguished from its background`);
};
