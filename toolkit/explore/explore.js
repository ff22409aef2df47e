// The explorer's picture: points or bars that a slider moves. One module for the notebook and for the report on disk.
// State comes as plain arrays from `toolkit.explore`; nothing is loaded from anywhere.

// Corners of the markers, in units of their radius; any other name is a circle.
// prettier-ignore
const SHAPES = {
  s: [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  "^": [[0, -1.15], [1.05, 0.8], [-1.05, 0.8]],
  v: [[0, 1.15], [1.05, -0.8], [-1.05, -0.8]],
  D: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  P: [
    [-0.4, -1.1], [0.4, -1.1], [0.4, -0.4], [1.1, -0.4], [1.1, 0.4], [0.4, 0.4],
    [0.4, 1.1], [-0.4, 1.1], [-0.4, 0.4], [-1.1, 0.4], [-1.1, -0.4], [-0.4, -0.4],
  ],
};
SHAPES.X = SHAPES.P.map(([x, y]) => [(x - y) * 0.75, (x + y) * 0.75]);
SHAPES["*"] = Array.from({ length: 10 }, (_, i) => {
  const r = i % 2 ? 0.55 : 1.35;
  const a = Math.PI * (i / 5 - 0.5);
  return [r * Math.cos(a), r * Math.sin(a)];
});

SHAPES["<"] = SHAPES["^"].map(([x, y]) => [y, x]);
SHAPES.p = Array.from({ length: 5 }, (_, i) => {
  const a = 2 * Math.PI * (i / 5 - 0.25);
  return [1.2 * Math.cos(a), 1.2 * Math.sin(a)];
});

const CSS = `
.tkx { font: 13px system-ui, sans-serif; color: #222; background: #fff; max-width: 880px; padding: 4px; }
.tkx h4 { margin: 2px 0 6px; font-size: 14px; }
.tkx .row { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; margin: 4px 0; }
.tkx .stage { position: relative; }
.tkx canvas { display: block; width: 100%; border: 1px solid #ccc; border-radius: 3px; touch-action: none; }
.tkx button {
  font: inherit; font-size: 12px; border: 1px solid #bbb; background: #f7f7f7; color: #222; border-radius: 3px;
  padding: 2px 7px; cursor: pointer;
}
.tkx button[aria-pressed=false] { opacity: .4; text-decoration: line-through; }
.tkx :focus-visible { outline: 2px solid #0072B2; outline-offset: 1px; }
.tkx .tip {
  position: absolute; pointer-events: none; background: #fffffff2; border: 1px solid #888; border-radius: 3px;
  padding: 3px 6px; font-size: 12px; max-width: 300px; white-space: pre-line; z-index: 5;
}
.tkx .tip canvas { width: 64px; border: 0; margin-top: 3px; image-rendering: pixelated; }
.tkx .help, .tkx .caption { color: #555; font-size: 12px; margin: 3px 0; }
.tkx .status { color: #333; font-variant-numeric: tabular-nums; min-height: 1.3em; }
.tkx label { display: inline-flex; gap: 6px; align-items: center; }
.tkx input[type=range] { width: 220px; }
.tkx textarea { width: 100%; font: 12px monospace; }`;

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function short(value) {
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value);
}

function floats(bytes) {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

// The bytes of a picture as text, for an address that holds it whole.
function base64(bytes) {
  const numbers = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return btoa(Array.from(numbers, (number) => String.fromCharCode(number)).join(""));
}

// Of n bars come the upper ends alone, or lower and upper end in turn; the points are the middles of their tops.
function barsOf(sent, n) {
  const k = sent.length / n;
  return {
    points: Float32Array.from({ length: 2 * n }, (_, i) =>
      i % 2 ? sent[k * (i >> 1) + k - 1] : (i >> 1) + 1,
    ),
    lower: k === 2 ? sent.filter((_, i) => i % 2 === 0) : null,
  };
}

// ---------------------------------------------------------------- painters: canvas and SVG, the same strokes
class CanvasPainter {
  constructor(context) {
    this.context = context;
  }

  mark(shape, x, y, r, fill, stroke, alpha = 1, width = 1) {
    const c = this.context;
    const corners = SHAPES[shape];
    c.globalAlpha = alpha;
    c.beginPath();
    if (corners) {
      corners.forEach(([a, b], i) => c[i ? "lineTo" : "moveTo"](x + a * r, y + b * r));
      c.closePath();
    } else {
      c.arc(x, y, r, 0, 7);
    }
    if (fill) {
      c.fillStyle = fill;
      c.fill();
    }
    if (stroke) {
      c.strokeStyle = stroke;
      c.lineWidth = width;
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  rect(x, y, w, h, fill, stroke, width) {
    const c = this.context;
    if (fill) {
      c.fillStyle = fill;
      c.fillRect(x, y, w, h);
    }
    if (stroke) {
      c.strokeStyle = stroke;
      c.lineWidth = width;
      c.strokeRect(x, y, w, h);
    }
  }

  line(x0, y0, x1, y1, stroke, width, dash = []) {
    const c = this.context;
    c.setLineDash(dash);
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
    c.setLineDash([]);
  }

  image({ bitmap }, x, y, w, h, [left, top, wide, high]) {
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(left, top, wide, high);
    c.clip();
    c.imageSmoothingEnabled = false; // would mix the colours of classes
    c.drawImage(bitmap, x, y, w, h);
    c.restore();
  }

  text(string, x, y, size, anchor = "start", halo = false, turn = 0) {
    const c = this.context;
    c.save();
    c.translate(x, y);
    c.rotate((turn * Math.PI) / 180);
    c.font = `${size}px system-ui, sans-serif`;
    c.textAlign = anchor === "middle" ? "center" : anchor;
    c.textBaseline = "middle";
    if (halo) {
      c.strokeStyle = "#ffffffd0";
      c.lineWidth = 4;
      c.lineJoin = "round";
      c.strokeText(string, 0, 0);
    }
    c.fillStyle = "#222";
    c.fillText(string, 0, 0);
    c.restore();
  }
}

// An element as text; numbers are rounded to two digits, attributes without a value left out.
function svg(tag, attributes, content) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? value.toFixed(2) : value}"`)
    .join("");
  return content === undefined ? `<${tag}${written}/>` : `<${tag}${written}>${content}</${tag}>`;
}

class SvgPainter {
  constructor() {
    this.parts = [];
  }

  mark(shape, x, y, r, fill, stroke, alpha = 1, width = 1) {
    const look = {
      fill: fill || "none",
      stroke: stroke || "none",
      "stroke-width": String(width),
      opacity: String(alpha),
    };
    if (SHAPES[shape]) {
      const corners = SHAPES[shape].map(([a, b]) => `${(x + a * r).toFixed(2)},${(y + b * r).toFixed(2)}`);
      this.parts.push(svg("polygon", { points: corners.join(" "), ...look }));
    } else {
      this.parts.push(svg("circle", { cx: x, cy: y, r, ...look }));
    }
  }

  rect(x, y, width, height, fill, stroke, strokeWidth = 0) {
    const look = { fill: fill || "none", stroke: stroke || "none", "stroke-width": String(strokeWidth) };
    this.parts.push(svg("rect", { x, y, width, height, ...look }));
  }

  line(x1, y1, x2, y2, stroke, width, dash = []) {
    const look = { stroke, "stroke-width": String(width), "stroke-dasharray": dash.join(" ") };
    this.parts.push(svg("line", { x1, y1, x2, y2, ...look }));
  }

  image({ png }, x, y, width, height, [left, top, wide, high]) {
    const picture = svg("image", {
      x: x - left,
      y: y - top,
      width,
      height,
      preserveAspectRatio: "none",
      style: "image-rendering: pixelated",
      href: `data:image/png;base64,${base64(png)}`,
    });
    // An inner svg clips what it holds, without an id that could occur twice in a page.
    const frame = { x: String(left), y: String(top), width: String(wide), height: String(high) };
    this.parts.push(svg("svg", { ...frame, overflow: "hidden" }, picture));
  }

  text(string, x, y, size, anchor = "start", halo = false, turn = 0) {
    const [left, top] = [x.toFixed(1), y.toFixed(1)];
    const attributes = {
      x: left,
      y: top,
      "font-family": "sans-serif",
      "font-size": String(size),
      fill: "#222",
      "text-anchor": anchor,
      "dominant-baseline": "middle",
    };
    if (halo) Object.assign(attributes, { stroke: "#fff", "stroke-width": "3", "paint-order": "stroke" });
    if (turn) attributes.transform = `rotate(${turn} ${left} ${top})`;
    const safe = string.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    this.parts.push(svg("text", attributes, safe));
  }

  document(w, h) {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">`;
    return `${head}<rect width="100%" height="100%" fill="#fff"/>${this.parts.join("\n")}</svg>`;
  }
}

// ---------------------------------------------------------------- paint: one scene, by either painter
const MARGIN = { left: 46, right: 12, top: 10, bottom: 34 };

// Names under bars: level where the longest has room, else at a slant, else every 2nd, 5th, 10th ...
function barAxis(names, w, zoom) {
  if (!names.length) return { margin: MARGIN };
  const slot = (w - MARGIN.left - MARGIN.right) / names.length;
  const most = names.reduce((k, name) => Math.max(k, name.length), 1);
  const room = 6.5 * most + 8;
  const slant = slot < room && slot >= 14;
  const tens = 10 ** Math.floor(Math.log10(Math.max(1, room / slot / zoom)));
  const steps = [1, 2, 5, 10].map((m) => m * tens);
  const step = slant ? 1 : steps.find((k) => k * slot * zoom >= room);
  const cut = slant ? Math.floor((MARGIN.left + slot / 2) / 4.7) : most;
  const under = names
    .map((name, i) => [i + 1, name.length > cut ? `${name.slice(0, cut - 1)}…` : name])
    .filter(([at]) => (at - (names[0] !== "1")) % step === 0);
  const bottom = slant ? 32 + 4.7 * Math.min(cut, most) : MARGIN.bottom;
  return { slant, under, margin: { ...MARGIN, top: 28, bottom } };
}

// Data to pixels (x, y), pixels of one unit (sx, sy), and the data at the edges of the frame. Moves `view` back
// where bars would be lost from sight.
function projection(limits, view, w, h, equal, margin, bars) {
  const [x0, x1, y0, y1] = limits;
  const innerWidth = w - margin.left - margin.right;
  const innerHeight = h - margin.top - margin.bottom;
  let sx = innerWidth / (x1 - x0);
  let sy = innerHeight / (y1 - y0);
  if (equal) sx = sy = Math.min(sx, sy);
  sx *= view.zoom;
  if (!bars) sy *= view.zoom;
  const most = bars ? ((x1 - x0) / 2) * (1 - 1 / view.zoom) : Infinity;
  view.x = Math.max(-most, Math.min(most, view.x));
  const cx = (x0 + x1) / 2 + view.x;
  const cy = (y0 + y1) / 2 + (bars ? 0 : view.y);
  const ox = margin.left + innerWidth / 2;
  const oy = margin.top + innerHeight / 2;
  return {
    x: (v) => ox + (v - cx) * sx,
    y: (v) => oy - (v - cy) * sy,
    sx,
    sy,
    left: cx - innerWidth / 2 / sx,
    right: cx + innerWidth / 2 / sx,
    low: cy - innerHeight / 2 / sy,
    high: cy + innerHeight / 2 / sy,
  };
}

function ticks(low, high) {
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const result = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) result.push(i * step);
  return result;
}

// What is painted on; scenes come from `Explorer.scene`.
function paint(painter, scene, w, h) {
  const { margin, points, proj } = scene;
  const frame = { bottom: h - margin.bottom, right: w - margin.right, w, h };
  const at = (i) => [proj.x(points[2 * i]), proj.y(points[2 * i + 1])];
  const inside = (x, y) =>
    x > margin.left - 6 && x < frame.right + 6 && y > margin.top - 6 && y < frame.bottom + 6;

  if (scene.field) paintField(painter, scene, frame);
  if (scene.bars) paintBars(painter, scene, frame);
  for (const [x0, y0, x1, y1] of scene.overlay.segments) {
    painter.line(proj.x(x0), proj.y(y0), proj.x(x1), proj.y(y1), "#9a9a9a", 1);
  }
  if (!scene.bars) paintSamples(painter, scene, at, inside);
  paintRings(painter, scene, at, inside);
  if (!scene.bars) paintSelection(painter, scene, at);
  paintLinks(painter, scene, at);
  paintAnchors(painter, scene);
  if (scene.cursor >= 0 && !scene.bars) painter.mark("o", ...at(scene.cursor), 8, null, "#D55E00", 1, 2);
  paintAxes(painter, scene, frame);
  if (scene.lower) paintBoundsKey(painter, scene, frame);
}

function paintField(painter, { proj, overlay, field, margin }, { bottom, right }) {
  const [x0, x1, y0, y1] = overlay.background.extent;
  const left = proj.x(x0);
  const top = proj.y(y1);
  const clip = [margin.left, margin.top, right - margin.left, bottom - margin.top];
  painter.image(field, left, top, proj.x(x1) - left, proj.y(y0) - top, clip);
}

// The upper bound from 0 in black or the colour of the class, over it the lower bound in white.
function paintBars(painter, scene, { bottom, right }) {
  const { proj, points, lower, labels, styles, hidden, selected, cursor, margin } = scene;
  const slot = proj.sx;
  const wide = slot < 8 ? slot : Math.min(64, 0.72 * slot);
  const edge = Math.min(1.6, 0.14 * wide);
  const classed = styles.length > 1;
  const span = (i) => [i + 1 - wide / slot / 2, i + 1 + wide / slot / 2].map((v) => Math.round(proj.x(v)));

  for (const t of ticks(0, proj.high)) painter.line(margin.left, proj.y(t), right, proj.y(t), "#e8e8e8", 1);
  for (let i = 0; i < labels.length; i++) {
    const [x0, x1] = span(i);
    if (hidden.has(labels[i]) || x1 < margin.left || x0 > right) continue;
    const y = proj.y(points[2 * i + 1]);
    const color = classed ? styles[labels[i]][0] : "#222";
    if (i === cursor) painter.rect(proj.x(i + 0.5), margin.top, slot, bottom - margin.top, "#fdeee2");
    painter.rect(x0, y, x1 - x0, bottom - y, color);
    if (lower?.[i] > 0) {
      const top = Math.min(proj.y(lower[i]), bottom - edge) + edge / 2;
      painter.rect(x0 + edge / 2, top, x1 - x0 - edge, bottom - top, "#fff", color, edge);
    }
  }
  for (const i of selected) {
    if (hidden.has(labels[i])) continue;
    painter.mark("v", proj.x(i + 1), proj.y(points[2 * i + 1]) - 8, 5, "#000", "#fff");
  }
  if (cursor >= 0) {
    const [x0, x1] = span(cursor);
    const y = proj.y(points[2 * cursor + 1]);
    painter.rect(x0 - 1, y - 1, x1 - x0 + 2, bottom - y + 1, null, "#D55E00", 2);
  }
}

function paintSamples(painter, { labels, styles, hidden, field, outlined }, at, inside) {
  // On colours, samples are opaque and edged: theirs may be the ones beneath.
  const [edge, alpha] = field ? ["#222", 1] : [null, 0.6];
  for (let i = 0; i < labels.length; i++) {
    if (hidden.has(labels[i])) continue;
    const [x, y] = at(i);
    const [color, shape] = styles[labels[i]];
    if (!inside(x, y)) continue;
    if (outlined?.[i]) painter.mark(shape, x, y, 3, null, color, 1, 1.2);
    else painter.mark(shape, x, y, 3, color, edge, alpha, 0.6);
  }
}

function paintRings(painter, { overlay, labels, hidden }, at, inside) {
  for (const i of overlay.rings ?? []) {
    const [x, y] = at(i);
    if (hidden.has(labels[i]) || !inside(x, y)) continue;
    painter.mark("o", x, y, 5.5, null, "#222", 1, 3.2);
    painter.mark("o", x, y, 5.5, null, "#fff", 1, 1.8);
  }
}

function paintSelection(painter, { overlay, labels, hidden, selected }, at) {
  for (const i of selected) {
    if (hidden.has(labels[i])) continue;
    const radius = overlay.rings?.includes(i) ? 7.5 : 6;
    painter.mark("o", ...at(i), radius, null, "#000", 1, 1.6);
  }
}

function paintLinks(painter, { proj, overlay, cursor }, at) {
  if (cursor < 0) return;
  for (const j of overlay.links?.[cursor] ?? []) {
    const [x, y] = overlay.anchors[j];
    painter.line(...at(cursor), proj.x(x), proj.y(y), "#222", 1.4, [5, 3]);
  }
}

function paintAnchors(painter, { proj, overlay, anchorNames, anchorStyles }) {
  overlay.anchors.forEach(([x, y], j) => {
    const [color, shape] = anchorStyles[j] || ["#fff", "o"];
    painter.mark(shape, proj.x(x), proj.y(y), 7.5, color, "#000", 1, 1.4);
  });
  overlay.anchors.forEach(([x, y], j) => {
    painter.text(anchorNames[j] || "", proj.x(x) + 11, proj.y(y), 12.5, "start", true);
  });
}

function paintAxes(painter, { proj, margin, bars, under, slant, axisNames }, { bottom, right, w, h }) {
  // The margins come late, so that lines that leave the frame end at it.
  painter.rect(0, 0, margin.left, h, "#fff");
  painter.rect(right, 0, margin.right, h, "#fff");
  painter.rect(0, 0, w, margin.top, "#fff");
  painter.rect(0, bottom, w, margin.bottom, "#fff");
  painter.line(margin.left, bottom, right, bottom, "#444", 1);
  painter.line(margin.left, margin.top, margin.left, bottom, "#444", 1);
  for (const [at, name] of under ?? ticks(proj.left, proj.right).map((t) => [t, short(t)])) {
    const x = proj.x(at);
    if (x < margin.left - 0.5 || x > right + 0.5) continue;
    painter.line(x, bottom, x, bottom + 4, "#444", 1);
    if (slant) painter.text(name, x + 3, bottom + 9, 11, "end", false, -42);
    else painter.text(name, x, bottom + 12, 11, "middle");
  }
  for (const t of ticks(bars ? 0 : proj.low, proj.high)) {
    painter.line(margin.left - 4, proj.y(t), margin.left, proj.y(t), "#444", 1);
    painter.text(short(t), margin.left - 7, proj.y(t), 11, "end");
  }
  painter.text(axisNames[0], (margin.left + right) / 2, h - 8, 12, "middle");
  painter.text(axisNames[1], 4, 8, 12);
}

function paintBoundsKey(painter, { styles }, { right }) {
  const upper = styles.length > 1 ? "#777" : "#222";
  painter.rect(right - 192, 4, 9, 9, upper, "#222", 1);
  painter.text("upper bound", right - 178, 9, 12);
  painter.rect(right - 88, 4, 9, 9, "#fff", "#222", 1);
  painter.text("lower bound", right - 74, 9, 12);
}

// ---------------------------------------------------------------- controls: sliders offline, legend, buttons, keys
function makeInput(axis, index) {
  if (axis.kind === "number") {
    return make("input", { type: "range", min: 0, max: axis.values.length - 1, step: 1, value: index });
  }
  if (axis.kind === "bool") return make("input", { type: "checkbox", checked: axis.values[index] });
  const input = make("select");
  axis.values.forEach((value, i) => input.append(make("option", { value: i, textContent: value })));
  input.value = index;
  return input;
}

// The frame whose setting is the nearest one to that wished for: not all of them need be stored.
function nearestFrame(grid, axes, wished) {
  let best = 0;
  let least = Infinity;
  grid.forEach((setting, frame) => {
    let distance = 0;
    setting.forEach((index, a) => {
      const apart = index - wished[a];
      distance += axes[a].kind === "number" ? Math.abs(apart) : 1000 * (apart !== 0);
    });
    if (distance < least) {
      least = distance;
      best = frame;
    }
  });
  return best;
}

// In a notebook the sliders are ipywidgets.
function addOfflineControls(model, row) {
  const axes = model.get("axes");
  const grid = model.get("grid");
  const current = [...grid[model.get("frame")]];
  axes.forEach((axis, a) => {
    const shown = make("output", { textContent: short(axis.values[current[a]]) });
    const input = makeInput(axis, current[a]);
    input.setAttribute("aria-label", axis.label);
    input.addEventListener("input", () => {
      current[a] = axis.kind === "bool" ? axis.values.indexOf(input.checked) : Number(input.value);
      shown.textContent = short(axis.values[current[a]]);
      input.setAttribute("aria-valuetext", shown.textContent);
      model.set("frame", nearestFrame(grid, axes, current));
      model.save_changes();
    });
    row.append(make("label", {}, axis.label, input, axis.kind === "number" ? shown : ""));
  });
}

function addLegend(explorer) {
  const { model, bars, hidden } = explorer;
  explorer.names.forEach((name, c) => {
    const [color, shape] = model.get("styles")[c];
    const icon = make("span");
    const painter = new SvgPainter();
    painter.mark(bars ? "s" : shape, 7, 7, 4.5, color, null);
    icon.innerHTML = painter.document(14, 14).replace(/<rect[^>]*>/, "");
    const button = make("button", { type: "button" }, icon, ` ${name}`);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      if (!hidden.delete(c)) hidden.add(c);
      button.setAttribute("aria-pressed", String(!hidden.has(c)));
      explorer.later();
    });
    explorer.legend.append(button);
  });
  const sides = model.get("side_names") ?? [];
  if (sides.length) explorer.legend.append(`outlines: ${sides[0]}; full: ${sides[1] ?? ""}`);
}

function addTools(explorer) {
  const add = (name, action) => {
    const button = make("button", { type: "button", textContent: name });
    button.addEventListener("click", () => action(explorer));
    explorer.tools.append(button);
  };
  add("Reset", reset);
  add("SVG", saveSvg);
  add("CSV", saveCsv);
  if (explorer.model.get("code")) add("Copy code", copyCode);
}

function reset(explorer) {
  explorer.view = { x: 0, y: 0, zoom: 1 };
  explorer.hidden.clear();
  explorer.legend.querySelectorAll("button").forEach((button) => button.setAttribute("aria-pressed", "true"));
  explorer.select([]);
  explorer.point(-1);
}

function download(name, type, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function saveSvg(explorer) {
  const painter = new SvgPainter();
  const [w, h] = [explorer.width(), explorer.height()];
  paint(painter, explorer.scene(), w, h);
  download(explorer.bars ? "bars.svg" : "map.svg", "image/svg+xml", painter.document(w, h));
}

function saveCsv(explorer) {
  const { bars, barNames, labels, names } = explorer;
  const { points } = explorer.frame();
  const chosen = new Set(explorer.model.get("selected"));
  const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const values = (i) => {
    if (!bars) return [i, points[2 * i], points[2 * i + 1]];
    const ends = [0, ...explorer.ends(i)].slice(-2);
    return [quote(barNames[i]), ...ends.map((v) => Number(v.toPrecision(7)))];
  };
  const head = `${bars ? "feature,lower,upper" : "sample,axis_1,axis_2"},label,selected`;
  const rows = labels.map((c, i) => [...values(i), quote(names[c] ?? ""), Number(chosen.has(i))].join(","));
  download(bars ? "bars.csv" : "map.csv", "text/csv", [head, ...rows].join("\n") + "\n");
}

function pythonLiteral(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

async function copyCode(explorer) {
  const { model } = explorer;
  const indices = model.get("grid")[model.get("frame")];
  let text = model.get("code");
  model.get("axes").forEach((axis, i) => {
    text = text.replaceAll(`{${axis.name}}`, pythonLiteral(axis.values[indices[i]]));
  });
  explorer.root.dataset.code = text;
  try {
    await navigator.clipboard.writeText(text);
    explorer.status.textContent = "Code copied.";
  } catch {
    const area = make("textarea", { value: text, rows: 3 });
    explorer.tools.after(area);
    area.select();
  }
}

// Pointing, clicking, dragging the picture, dragging a box with shift.
function listenToPointer(explorer) {
  const { canvas } = explorer;
  let drag = null;
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) {
      explorer.point(explorer.nearest(e.offsetX, e.offsetY));
      return;
    }
    const [dx, dy] = [e.offsetX - drag.x, e.offsetY - drag.y];
    if (drag.select) {
      explorer.box = [drag.x, drag.y, e.offsetX, e.offsetY];
    } else {
      const { proj } = explorer.scene();
      explorer.view.x = drag.viewX - dx / proj.sx;
      explorer.view.y = drag.viewY + dy / proj.sy;
    }
    drag.moved = Math.hypot(dx, dy) > 3 || drag.moved;
    explorer.later();
  });
  canvas.addEventListener("pointerdown", (e) => {
    const { view } = explorer;
    drag = { x: e.offsetX, y: e.offsetY, viewX: view.x, viewY: view.y, select: e.shiftKey };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointerup", (e) => {
    if (drag && !drag.moved) {
      const i = explorer.nearest(e.offsetX, e.offsetY);
      if (i >= 0) explorer.toggle(i);
    } else if (explorer.box) {
      explorer.select(explorer.within(explorer.box));
    }
    drag = explorer.box = null;
    explorer.later();
  });
  canvas.addEventListener("pointerleave", () => {
    if (!drag) explorer.point(-1);
  });
  const onWheel = (e) => {
    e.preventDefault();
    explorer.zoom(e.deltaY < 0 ? 1.15 : 1 / 1.15);
  };
  canvas.addEventListener("wheel", onWheel, { passive: false });
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function listenToKeys(explorer) {
  explorer.canvas.addEventListener("keydown", (e) => {
    if (!onKey(explorer, e.key)) return;
    e.preventDefault();
    e.stopPropagation();
  });
}

// Whether the key is one of ours; then it has been obeyed.
function onKey(explorer, key) {
  const way = ARROWS[key];
  if (way && explorer.bars) {
    if (!way[0]) return false;
    walkBars(explorer, way[0]);
  } else if (way) {
    walkSamples(explorer, way);
  } else if (key === "Enter" && explorer.cursor >= 0) {
    explorer.toggle(explorer.cursor);
  } else if (key === "Escape") {
    explorer.select([]);
    explorer.point(-1);
  } else if (key === "+" || key === "=") {
    explorer.zoom(1.25);
  } else if (key === "-") {
    explorer.zoom(0.8);
  } else if (key === "0") {
    explorer.view = { x: 0, y: 0, zoom: 1 };
    explorer.later();
  } else {
    return false;
  }
  return true;
}

function walkBars(explorer, step) {
  const { cursor, labels, hidden } = explorer;
  const first = step > 0 ? 0 : labels.length - 1;
  let next = cursor < 0 ? first : cursor + step;
  while (hidden.has(labels[next])) next += step;
  if (!(next in labels)) return;
  const { proj, margin } = explorer.scene();
  const x = proj.x(next + 1);
  if (x < margin.left || x > explorer.width() - margin.right)
    explorer.view.x = next - (labels.length - 1) / 2;
  explorer.point(next);
}

// To the nearest sample within 45 degrees of the arrow, at first to that in the middle.
function walkSamples(explorer, [wx, wy]) {
  const { cursor } = explorer;
  const ahead = (dx, dy, i) => {
    const along = dx * wx + dy * wy;
    return i !== cursor && along > Math.abs(dx * wy) + Math.abs(dy * wx) - 1e-9 && along > 0;
  };
  const next =
    cursor < 0
      ? explorer.nearest(explorer.width() / 2, explorer.height() / 2, 1e6)
      : explorer.nearest(...explorer.position(cursor), 1e6, ahead);
  if (next >= 0) explorer.point(next);
}

// ---------------------------------------------------------------- render: the state of one explorer, and its page
class Explorer {
  constructor(model, el) {
    this.model = model;
    this.barNames = model.get("bar_names") ?? [];
    this.bars = this.barNames.length > 0;
    this.labels = model.get("labels");
    this.names = this.bars && model.get("label_names").length < 2 ? [] : model.get("label_names");
    this.hover = model.get("hover");
    const images = model.get("images");
    this.pixels = images?.byteLength
      ? new Uint8Array(images.buffer, images.byteOffset, images.byteLength)
      : null;
    this.frames = new Map(); // number of a frame -> what it was read from and its points
    this.fields = new WeakMap(); // PNG of a background -> the same, and its bitmap once the browser has decoded it
    this.hidden = new Set(); // numbers of classes
    this.view = { x: 0, y: 0, zoom: 1 };
    this.cursor = -1;
    this.box = null; // x0, y0, x1, y1 of a selection that is being dragged
    this.pending = false;
    this.build(el);
  }

  build(el) {
    const { model } = this;
    this.canvas = make("canvas", { tabIndex: 0 });
    this.canvas.setAttribute("role", "img");
    this.tip = make("div", { className: "tip", hidden: true });
    this.legend = make("div", { className: "row", role: "group", ariaLabel: "classes" });
    this.status = make("div", { className: "status", role: "status" });
    this.tools = make("div", { className: "row" });
    const controls = make("div", { className: "row" });
    const walk = this.bars ? "Left and right walk the features" : "Arrows walk the samples";
    const help = `${walk}, Enter selects, Escape clears, + - 0 zoom; drag moves, shift-drag selects.`;
    this.root = make(
      "div",
      { className: "tkx" },
      make("style", { textContent: CSS }),
      make("h4", { textContent: model.get("title") }),
      controls,
      this.legend,
      make("div", { className: "stage" }, this.canvas, this.tip),
      this.status,
      this.tools,
      make("p", { className: "caption", textContent: model.get("caption") }),
      make("p", { className: "help", textContent: help }),
    );
    el.append(this.root);
    if (model.get("offline")) addOfflineControls(model, controls);
    listenToPointer(this);
    listenToKeys(this);
    addLegend(this);
    addTools(this);
  }

  width() {
    return Math.max(280, this.canvas.clientWidth || 640);
  }

  height() {
    return Math.round(Math.min(560, this.width() * 0.68));
  }

  overlay() {
    return this.model.get("overlays")[this.model.get("frame")];
  }

  // Points of the current frame, and of bars their lower ends.
  frame() {
    const number = this.model.get("frame");
    const bytes = this.model.get("frames")[number];
    if (this.frames.get(number)?.bytes !== bytes) {
      const sent = floats(bytes);
      const read = this.bars ? barsOf(sent, this.labels.length) : { points: sent };
      this.frames.set(number, { bytes, ...read });
    }
    return this.frames.get(number);
  }

  // The background of the current frame; without a bitmap until it is decoded.
  field() {
    const { background } = this.overlay();
    if (!background) return null;
    const [list, position] = background.at;
    const png = this.model.get(`backgrounds_${list}`)[position];
    if (!this.fields.has(png)) {
      const field = { png };
      this.fields.set(png, field);
      createImageBitmap(new Blob([png], { type: "image/png" })).then((bitmap) => {
        field.bitmap = bitmap;
        this.later();
      });
    }
    return this.fields.get(png);
  }

  // All that `paint` needs.
  scene() {
    const { model } = this;
    const axis = barAxis(this.barNames, this.width(), this.view.zoom);
    const limits = model.get("limits")[model.get("frame")];
    const [w, h] = [this.width(), this.height()];
    return {
      proj: projection(limits, this.view, w, h, model.get("equal_aspect"), axis.margin, this.bars),
      ...this.frame(),
      ...axis,
      bars: this.bars,
      field: this.field(),
      labels: this.labels,
      styles: model.get("styles"),
      outlined: model.get("outlined"),
      hidden: this.hidden,
      selected: model.get("selected"),
      overlay: this.overlay(),
      anchorNames: model.get("anchor_names"),
      anchorStyles: model.get("anchor_styles"),
      axisNames: model.get("axis_names"),
      cursor: this.cursor,
    };
  }

  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    const { canvas } = this;
    this.pending = false;
    const scene = this.scene();
    if (scene.field && !scene.field.bitmap) {
      delete canvas.dataset.painted; // the last frame stays until this one is decoded
      return;
    }
    const [w, h] = [this.width(), this.height()];
    const context = this.resized(w, h);
    paint(new CanvasPainter(context), scene, w, h);
    if (this.box) {
      const [x0, y0, x1, y1] = this.box;
      context.strokeStyle = "#0072B2";
      context.setLineDash([4, 3]);
      context.strokeRect(x0, y0, x1 - x0, y1 - y0);
      context.setLineDash([]);
    }
    this.tell();
    canvas.dataset.frame = this.model.get("frame");
    canvas.dataset.painted = performance.now();
  }

  // The canvas cleared, with as many pixels as the screen has there.
  resized(w, h) {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(w * ratio), Math.round(h * ratio)];
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
      canvas.style.height = `${h}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = "#fff";
    context.fillRect(0, 0, w, h);
    return context;
  }

  tell() {
    const error = this.model.get("error");
    const text = error ? `Error: ${error}` : this.overlay().status;
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.style.color = error ? "#b00" : "";
    const what = `${this.labels.length} ${this.bars ? "features" : "samples"}`;
    this.canvas.setAttribute("aria-label", `${this.model.get("title")}: ${what}. ${text}`);
  }

  // Pixels of a sample, or of the top of a bar.
  position(i) {
    const { proj, points } = this.scene();
    return [proj.x(points[2 * i]), proj.y(points[2 * i + 1])];
  }

  // The sample next to a pixel, or the bar in its column; -1 for none.
  nearest(x, y, reach = 12, allowed = () => true) {
    const { labels, hidden } = this;
    const { proj, points, margin } = this.scene();
    if (this.bars) {
      const column = x < margin.left ? -1 : Math.round(proj.left + (x - margin.left) / proj.sx) - 1;
      return column in labels && !hidden.has(labels[column]) ? column : -1;
    }
    let best = -1;
    let least = reach * reach;
    for (let i = 0; i < labels.length; i++) {
      if (hidden.has(labels[i])) continue;
      const dx = proj.x(points[2 * i]) - x;
      const dy = proj.y(points[2 * i + 1]) - y;
      const squared = dx * dx + dy * dy;
      if (squared < least && allowed(dx, dy, i)) {
        least = squared;
        best = i;
      }
    }
    return best;
  }

  // Numbers of the samples in a box of pixels; of bars those in its columns.
  within([x0, y0, x1, y1]) {
    const { proj, points } = this.scene();
    const between = (v, a, b) => v >= Math.min(a, b) && v <= Math.max(a, b);
    const all = this.labels.map((_, i) => i).filter((i) => !this.hidden.has(this.labels[i]));
    const columns = all.filter((i) => between(proj.x(points[2 * i]), x0, x1));
    return this.bars ? columns : columns.filter((i) => between(proj.y(points[2 * i + 1]), y0, y1));
  }

  // The values at the ends of a bar.
  ends(i) {
    const { points, lower } = this.frame();
    return lower ? [lower[i], points[2 * i + 1]] : [points[2 * i + 1]];
  }

  // Move the cursor to a sample and show what is known of it; away with -1.
  point(i) {
    this.cursor = i;
    this.tip.hidden = i < 0;
    if (i >= 0) this.fillTip(i);
    this.later();
  }

  fillTip(i) {
    const { tip, bars, pixels } = this;
    const text = this.overlay().hover?.[i] ?? this.hover[i];
    const name = bars ? this.barNames[i] : `#${i}`;
    const lines = [`${name}  ${this.names[this.labels[i]] ?? ""}`];
    if (text) lines.push(text);
    if (bars) lines.push(this.ends(i).map((v) => Number(v.toPrecision(3))).join(" to ")); // prettier-ignore
    tip.replaceChildren(lines.join("\n"));
    if (pixels) tip.append(this.thumbnail(i));
    const [x, y] = this.position(i);
    const beside = x + 14 + (bars ? Math.min(32, 0.36 * this.scene().proj.sx) : 0);
    tip.style.left = `${Math.min(beside, this.width() - 150)}px`;
    tip.style.top = `${Math.max(2, Math.min(y + 12, this.height() - (pixels ? 110 : 40)))}px`;
  }

  thumbnail(i) {
    const [height, width] = this.model.get("image_shape");
    const data = new ImageData(width, height);
    for (let k = 0; k < height * width; k++) {
      data.data.fill(this.pixels[i * height * width + k], 4 * k, 4 * k + 3);
      data.data[4 * k + 3] = 255;
    }
    const small = make("canvas", { width, height });
    small.getContext("2d").putImageData(data, 0, 0);
    return make("div", {}, small);
  }

  select(indices) {
    const sorted = [...indices].sort((a, b) => a - b);
    this.model.set("selected", sorted);
    this.model.save_changes();
    this.later();
  }

  toggle(i) {
    const chosen = new Set(this.model.get("selected"));
    if (!chosen.delete(i)) chosen.add(i);
    this.select(chosen);
  }

  zoom(factor) {
    this.view.zoom = Math.min(60, Math.max(this.bars ? 1 : 0.5, this.view.zoom * factor));
    this.later();
  }
}

const CHANGES = ["frame", "frames", "overlays", "selected", "limits", "error"].map(
  (name) => `change:${name}`,
);

// Called by anywidget in a notebook, by `offline.js` in a report; returns what ends it.
function render({ model, el }) {
  const explorer = new Explorer(model, el);
  const onChange = () => {
    if (explorer.cursor >= 0) explorer.point(explorer.cursor);
    explorer.later();
  };
  CHANGES.forEach((name) => model.on(name, onChange));
  const observer = new ResizeObserver(() => explorer.later());
  observer.observe(explorer.canvas);
  explorer.later();
  // JupyterLab takes the arrow keys for its own shortcuts, unless the focused element itself forbids it.
  requestAnimationFrame(() => {
    const box = el.closest(".widget-vbox") ?? explorer.root;
    box.addEventListener("focusin", (e) => e.target.setAttribute("data-lm-suppress-shortcuts", "true"));
  });
  return () => {
    observer.disconnect();
    CHANGES.forEach((name) => model.off(name, onChange));
  };
}

export default { render };
