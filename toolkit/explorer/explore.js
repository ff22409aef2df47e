// The explorer: controls, and a picture of points or bars that they move. One module for the notebook, where a kernel
// may answer, and for a page on disk, where none does. State comes as plain arrays from `toolkit.explorer`; nothing is
// loaded from anywhere. Sections: marks and colours, painters, scene, what is drawn, data, settings, legend, files,
// hands, keys, search, the explorer.

// ================================================================ marks and colours
// Corners of the marks, in units of their radius; any other name is a circle.
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

// Of values: viridis, from low to high, and grey where a value is missing.
// prettier-ignore
const SCALE = ["#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];
const LEVELS = 32;
const MISSING = "#b9bec4";

// Of paper and files; on the screen the colours of the theme take their place (`Explorer.palette`).
const LIGHT = { ground: "#ffffff", ink: "#222222", quiet: "#555555", rule: "#e8e8e8", thread: "#9a9a9a" };
const ACCENT = "#D55E00";
const FRAME = "#0072B2";

function rgb(color) {
  const digits = color.length === 4 ? [...color.slice(1)].map((d) => d + d).join("") : color.slice(1);
  return [0, 2, 4].map((i) => parseInt(digits.slice(i, i + 2), 16));
}

function mixed(from, to, fraction) {
  const parts = rgb(from).map((v, i) => Math.round(v + (rgb(to)[i] - v) * fraction));
  return `#${parts.map((v) => v.toString(16).padStart(2, "0")).join("")}`;
}

function luminance(color) {
  const linear = rgb(color).map((v) => (v / 255 <= 0.04045 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

// A colour made for white ground, lightened until it stands out from a dark one.
function onGround(color, ground) {
  if (luminance(ground) > 0.4) return color;
  let fraction = 0;
  while (fraction < 0.9 && (luminance(mixed(color, "#ffffff", fraction)) + 0.05) / (luminance(ground) + 0.05) < 4)
    fraction += 0.1;
  return mixed(color, "#ffffff", fraction);
}

function scaleColor(fraction) {
  const at = Math.min(fraction, 1) * (SCALE.length - 1);
  const step = Math.min(Math.floor(at), SCALE.length - 2);
  return mixed(SCALE[step], SCALE[step + 1], at - step);
}

// ---------------------------------------------------------------- small helpers
function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function named(tag, label, properties = {}, ...children) {
  const node = make(tag, properties, ...children);
  node.setAttribute("aria-label", label);
  if (tag === "button") node.title = label;
  return node;
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const short = (value) => (typeof value === "number" ? String(Number(value.toPrecision(4))) : String(value));
const counted = (n) => n.toLocaleString("en");

function floats(bytes) {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

// The bytes of a picture as text, for an address that holds it whole.
function base64(bytes) {
  const numbers = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return btoa(Array.from(numbers, (number) => String.fromCharCode(number)).join(""));
}

const measuring = document.createElement("canvas").getContext("2d");

function widthOf(text, size, weight = "") {
  measuring.font = `${weight} ${size}px system-ui, sans-serif`;
  return measuring.measureText(text).width;
}

// A text in lines that are not wider than `width`.
function lines(text, width, size, weight = "") {
  const result = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      const longer = line ? `${line} ${word}` : word;
      if (line && widthOf(longer, size, weight) > width) {
        result.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    result.push(line);
  }
  return result.filter((line) => line);
}

// ================================================================ painters: canvas and SVG, the same strokes
class CanvasPainter {
  constructor(context, ratio = 1) {
    this.context = context;
    this.ratio = ratio;
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

  // For `count` marks: an object that gives a function of the place for each kind of mark, and is done at the end.
  stamps(count, { w, h }) {
    return count > MOST_PATHS ? new Blend(this, w, h) : new Stamps(this);
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

  path(corners, stroke, width, dash = []) {
    const c = this.context;
    c.setLineDash(dash);
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.beginPath();
    corners.forEach(([x, y], i) => c[i ? "lineTo" : "moveTo"](x, y));
    c.stroke();
    c.setLineDash([]);
  }

  line(x0, y0, x1, y1, stroke, width, dash) {
    this.path([[x0, y0], [x1, y1]], stroke, width, dash); // prettier-ignore
  }

  // What `draw` draws, moved down by `y`.
  lowered(y, draw) {
    this.context.save();
    this.context.translate(0, y);
    draw();
    this.context.restore();
  }

  // A picture with hard pixels, cut at the frame.
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

  text(string, x, y, size, { anchor = "start", halo = "", turn = 0, color = LIGHT.ink, weight = "" } = {}) {
    const c = this.context;
    c.save();
    c.translate(x, y);
    c.rotate((turn * Math.PI) / 180);
    c.font = `${weight} ${size}px system-ui, sans-serif`;
    c.textAlign = anchor === "middle" ? "center" : anchor;
    c.textBaseline = "middle";
    if (halo) {
      c.strokeStyle = halo;
      c.lineWidth = 4;
      c.lineJoin = "round";
      c.strokeText(string, 0, 0);
    }
    c.fillStyle = color;
    c.fillText(string, 0, 0);
    c.restore();
  }
}

// Marks one by one.
class Stamps {
  constructor(painter) {
    this.painter = painter;
  }

  stamp(shape, r, ...look) {
    return (x, y) => this.painter.mark(shape, x, y, r, ...look);
  }

  done() {}
}

// Tens of thousands of marks: each kind is drawn once, then its pixels are laid over those of a layer in memory, which
// takes a sixth of the time that as many paths or pictures take the browser. Colours are held multiplied by opacity.
class Blend {
  constructor({ context, ratio }, w, h) {
    Object.assign(this, { context, ratio, wide: Math.round(w * ratio), high: Math.round(h * ratio) });
    this.layer = new Uint8ClampedArray(4 * this.wide * this.high);
  }

  stamp(shape, r, fill, stroke, alpha, width) {
    const { layer, wide, high, ratio } = this;
    const half = Math.ceil((1.4 * r + width) * ratio);
    const side = 2 * half;
    const own = make("canvas", { width: side, height: side }).getContext("2d", { willReadFrequently: true });
    own.scale(ratio, ratio);
    new CanvasPainter(own).mark(shape, half / ratio, half / ratio, r, fill, stroke, alpha, width);
    const { data } = own.getImageData(0, 0, side, side);
    for (let k = 0; k < data.length; k += 4) for (let c = 0; c < 3; c++) data[k + c] *= data[k + 3] / 255;
    return (x, y) => {
      const left = Math.round(x * ratio) - half;
      const top = Math.round(y * ratio) - half;
      for (let j = Math.max(0, -top); j < Math.min(side, high - top); j++) {
        for (let i = Math.max(0, -left); i < Math.min(side, wide - left); i++) {
          const from = 4 * (j * side + i);
          if (!data[from + 3]) continue;
          const to = 4 * ((top + j) * wide + left + i);
          const rest = 1 - data[from + 3] / 255;
          for (let c = 0; c < 4; c++) layer[to + c] = data[from + c] + rest * layer[to + c];
        }
      }
    };
  }

  done() {
    const { layer, wide, high, ratio } = this;
    for (let k = 0; k < layer.length; k += 4) {
      if (layer[k + 3] && layer[k + 3] < 255) for (let c = 0; c < 3; c++) layer[k + c] *= 255 / layer[k + 3];
    }
    const canvas = make("canvas", { width: wide, height: high });
    canvas.getContext("2d").putImageData(new ImageData(layer, wide, high), 0, 0);
    this.context.drawImage(canvas, 0, 0, wide / ratio, high / ratio);
  }
}

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

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

  stamps() {
    return new Stamps(this);
  }

  rect(x, y, width, height, fill, stroke, strokeWidth = 0) {
    const look = { fill: fill || "none", stroke: stroke || "none", "stroke-width": String(strokeWidth) };
    this.parts.push(svg("rect", { x, y, width, height, ...look }));
  }

  path(corners, stroke, width, dash = []) {
    const points = corners.map((place) => place.map((v) => v.toFixed(2)).join(",")).join(" ");
    const look = { fill: "none", stroke, "stroke-width": String(width), "stroke-dasharray": dash.join(" ") };
    this.parts.push(svg("polyline", { points, ...look }));
  }

  line(x1, y1, x2, y2, stroke, width, dash = []) {
    const look = { stroke, "stroke-width": String(width), "stroke-dasharray": dash.join(" ") };
    this.parts.push(svg("line", { x1, y1, x2, y2, ...look }));
  }

  image({ png, bitmap }, x, y, width, height, [left, top, wide, high]) {
    const picture = svg("image", {
      x: x - left,
      y: y - top,
      width,
      height,
      preserveAspectRatio: "none",
      style: "image-rendering: pixelated",
      href: png ? `data:image/png;base64,${base64(png)}` : bitmap.toDataURL(),
    });
    // An inner svg clips what it holds, without an id that could occur twice in a page.
    const frame = { x: String(left), y: String(top), width: String(wide), height: String(high) };
    this.parts.push(svg("svg", { ...frame, overflow: "hidden" }, picture));
  }

  text(string, x, y, size, { anchor = "start", halo = "", turn = 0, color = LIGHT.ink, weight = "" } = {}) {
    const [left, top] = [x.toFixed(1), y.toFixed(1)];
    const attributes = {
      x: left,
      y: top,
      "font-family": "system-ui, sans-serif",
      "font-size": String(size),
      "font-weight": weight || undefined,
      fill: color,
      "text-anchor": anchor,
      "dominant-baseline": "middle",
    };
    if (halo) Object.assign(attributes, { stroke: halo, "stroke-width": "3", "paint-order": "stroke" });
    if (turn) attributes.transform = `rotate(${turn} ${left} ${top})`;
    this.parts.push(svg("text", attributes, escaped(string)));
  }

  // What `draw` draws, moved down by `y`.
  lowered(y, draw) {
    const from = this.parts.length;
    draw();
    this.parts.push(svg("g", { transform: `translate(0 ${y})` }, this.parts.splice(from).join("\n")));
  }

  document(w, h, title = "", about = "") {
    const role = title ? 'role="img"' : 'aria-hidden="true"';
    const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" ${role}>`;
    const words = title ? svg("title", {}, escaped(title)) + svg("desc", {}, escaped(about)) : "";
    return `${head}${words}${this.parts.join("\n")}</svg>`;
  }
}

// ================================================================ scene: where things are
const MARGIN = { left: 50, right: 14, top: 26, bottom: 38 };
const MOST_FIELDS = 100; // decoded ahead
const MOST_TOLD = 12; // columns in a tip
const MOST_RINGS = 200; // around what is selected or found
const MOST_PATHS = 4000; // marks that the browser draws one by one
const MOST_MARKS = 30000; // seen at once; more are counted cell by cell
const CELL = 2; // pixels

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
  const bottom = slant ? 36 + 4.7 * Math.min(cut, most) : MARGIN.bottom;
  return { slant, under, margin: { ...MARGIN, bottom } };
}

// Data to pixels (x, y) and back (dataX, dataY), pixels of one unit (sx, sy), and the data at the edges of the frame.
// Moves `view` back where bars would be lost from sight.
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
  view.x = clamp(view.x, -most, most);
  const cx = (x0 + x1) / 2 + view.x;
  const cy = (y0 + y1) / 2 + (bars ? 0 : view.y);
  const ox = margin.left + innerWidth / 2;
  const oy = margin.top + innerHeight / 2;
  return {
    x: (v) => ox + (v - cx) * sx,
    y: (v) => oy - (v - cy) * sy,
    dataX: (p) => cx + (p - ox) / sx,
    dataY: (p) => cy - (p - oy) / sy,
    sx,
    sy,
    left: cx - innerWidth / 2 / sx,
    right: cx + innerWidth / 2 / sx,
    low: cy - innerHeight / 2 / sy,
    high: cy + innerHeight / 2 / sy,
  };
}

function ticks(low, high, most = 5) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const result = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) result.push(i * step);
  return result;
}

// ================================================================ what is drawn; scenes come from `Explorer.scene`
// All that a setting decides: it is drawn again when that, the view, the colours or the selection change.
function drawScene(painter, scene) {
  const { w, h, palette, bars, overlay, proj } = scene;
  painter.rect(0, 0, w, h, palette.ground);
  if (scene.field) drawField(painter, scene);
  if (bars) drawBars(painter, scene);
  for (const [x0, y0, x1, y1] of overlay.segments) {
    painter.line(proj.x(x0), proj.y(y0), proj.x(x1), proj.y(y1), scene.field ? LIGHT.thread : palette.thread, 1);
  }
  if (!bars) drawSamples(painter, scene);
  drawRings(painter, scene);
  drawAnchors(painter, scene);
  drawAxes(painter, scene);
  if (bars) drawBoundsKey(painter, scene);
}

// What the pointer, the keys and the search point at: above, on a separate canvas.
function drawPointed(painter, scene, { cursor, found, drawn }) {
  const { bars, palette, overlay, proj } = scene;
  const at = (i) => [proj.x(scene.points[2 * i]), proj.y(scene.points[2 * i + 1])];
  for (const i of found) {
    const [x, y] = at(i);
    if (scene.inside(x, y)) painter.mark("o", x, y, 8, null, ACCENT, 0.9, 2);
  }
  if (cursor >= 0) {
    for (const j of overlay.links?.[cursor] ?? []) {
      const [x, y] = overlay.anchors[j];
      painter.line(...at(cursor), proj.x(x), proj.y(y), scene.field ? LIGHT.ink : palette.ink, 1.4, [5, 3]);
    }
    if (bars) drawPointedBar(painter, scene, cursor);
    else painter.mark("o", ...at(cursor), scene.radius + 5, null, ACCENT, 1, 2.4);
  }
  if (drawn) painter.path(drawn, palette.accent ?? FRAME, 1.5, [4, 3]);
}

function drawField(painter, { proj, overlay, field, margin, w, h }) {
  const [x0, x1, y0, y1] = overlay.background.extent;
  const left = proj.x(x0);
  const top = proj.y(y1);
  const clip = [margin.left, margin.top, w - margin.left - margin.right, h - margin.top - margin.bottom];
  painter.image(field, left, top, proj.x(x1) - left, proj.y(y0) - top, clip);
}

// Left and right edge of a bar.
function barSpan({ proj }, i) {
  const slot = proj.sx;
  const wide = slot < 8 ? slot : Math.min(64, 0.72 * slot);
  return [i + 1 - wide / slot / 2, i + 1 + wide / slot / 2].map((v) => Math.round(proj.x(v)));
}

// The upper bound from 0 in black or the colour of the class, over it the lower bound in white.
function drawBars(painter, scene) {
  const { proj, points, lower, codes, styles, shown, selected, margin, palette, w, h } = scene;
  const [bottom, right] = [h - margin.bottom, w - margin.right];
  const classed = styles.length > 1;
  const chosen = new Set(selected);
  for (const t of ticks(0, proj.high)) painter.line(margin.left, proj.y(t), right, proj.y(t), palette.rule, 1);
  for (let i = 0; i < codes.length; i++) {
    const [x0, x1] = barSpan(scene, i);
    if (!shown[i] || x1 < margin.left || x0 > right) continue;
    const y = proj.y(points[2 * i + 1]);
    const edge = Math.min(1.6, 0.14 * (x1 - x0));
    const full = classed ? styles[codes[i]][0] : palette.ink;
    const color = chosen.size && !chosen.has(i) ? mixed(full, palette.ground, 0.65) : full;
    painter.rect(x0, y, x1 - x0, bottom - y, color);
    if (lower[i] > 0) {
      const top = Math.min(proj.y(lower[i]), bottom - edge) + edge / 2;
      painter.rect(x0 + edge / 2, top, x1 - x0 - edge, bottom - top, palette.ground, color, edge);
    }
    if (chosen.has(i)) painter.mark("v", proj.x(i + 1), y - 8, 5, palette.ink, palette.ground);
  }
}

function drawPointedBar(painter, scene, i) {
  const { proj, points, margin, h } = scene;
  const [x0, x1] = barSpan(scene, i);
  const [y, bottom] = [proj.y(points[2 * i + 1]), h - margin.bottom];
  painter.rect(proj.x(i + 0.5), margin.top, proj.sx, bottom - margin.top, `${ACCENT}1c`);
  painter.rect(x0 - 1, y - 1, x1 - x0 + 2, bottom - y + 1, null, ACCENT, 2);
}

// The samples: marks, of which a selection leaves the others pale, or counts where there are too many to distinguish.
function drawSamples(painter, scene) {
  const { points, proj, shown, selected, field, outlined, radius, codes, palette, rare } = scene;
  const [below, above] = [[], []]; // those of rare classes on top
  for (let i = 0; i < codes.length; i++) {
    if (!shown[i] || !scene.inside(proj.x(points[2 * i]), proj.y(points[2 * i + 1]))) continue;
    (rare[i] ? above : below).push(i);
  }
  const seen = below.concat(above);
  scene.counts = seen.length > MOST_MARKS;
  if (scene.counts) {
    drawCounts(painter, scene, seen);
    return;
  }
  const chosen = selected.length ? new Set(selected) : null;
  const stamps = painter.stamps(seen.length, scene);
  const kinds = [];
  const place = (i, state) => {
    const key = 6 * codes[i] + 2 * state + (outlined[i] ? 1 : 0);
    kinds[key] ??= stampOf(stamps, scene, codes[i], state, outlined[i]);
    kinds[key](proj.x(points[2 * i]), proj.y(points[2 * i + 1]));
  };
  for (const i of seen) if (!chosen?.has(i)) place(i, chosen ? 1 : 0);
  if (chosen) for (const i of seen) if (chosen.has(i)) place(i, 2);
  stamps.done();
  if (selected.length > MOST_RINGS || scene.overlay.rings?.length) return; // rings have another meaning there
  const ink = field ? LIGHT.ink : palette.ink;
  for (const i of selected) {
    const [x, y] = [proj.x(points[2 * i]), proj.y(points[2 * i + 1])];
    if (shown[i] && scene.inside(x, y)) painter.mark("o", x, y, radius + 3, null, ink, 1, 1.4);
  }
}

// States: 0 as usual, 1 pale outside a selection, 2 selected.
function stampOf(stamps, { styles, radius, opacity, field }, code, state, outlined) {
  const [color, shape] = styles[code];
  const pale = 0.16;
  if (outlined) return stamps.stamp(shape, radius, null, color, state === 1 ? pale : 1, Math.max(1, 0.4 * radius));
  // On colours, samples are opaque and edged: theirs may be the ones beneath.
  const alpha = state === 1 ? pale : field || state === 2 ? 1 : opacity;
  return stamps.stamp(shape, radius, color, field ? LIGHT.ink : null, alpha, 0.6);
}

// Cells, the denser the more opaque (by the logarithm of the count). Each has the colour of one of its samples, drawn by
// lot: a mean of two colours might be that of a third class. A sample of a rare class is preferred.
function drawCounts(painter, { points, proj, codes, styles, selected, margin, palette, rare, w, h }, seen) {
  const wide = Math.ceil((w - margin.left - margin.right) / CELL);
  const high = Math.ceil((h - margin.top - margin.bottom) / CELL);
  const chosen = selected.length ? new Set(selected) : null;
  const pale = styles.length;
  const colors = [...styles.map(([color]) => rgb(color)), rgb(mixed(palette.ink, palette.ground, 0.7))];
  const counts = new Float32Array(wide * high);
  const drawn = new Uint32Array(wide * high);
  let most = 0;
  for (const i of seen) {
    const column = clamp(Math.floor((proj.x(points[2 * i]) - margin.left) / CELL), 0, wide - 1);
    const row = clamp(Math.floor((proj.y(points[2 * i + 1]) - margin.top) / CELL), 0, high - 1);
    const at = row * wide + column;
    const weight = chosen && !chosen.has(i) ? 0.01 : 1;
    counts[at] += weight;
    const lot = (Math.imul(i + 1, 2654435761) >>> 0) / 2 ** 32; // the same at every drawing
    if ((rare[i] && weight === 1) || lot * counts[at] < weight) drawn[at] = weight < 1 ? pale : codes[i];
    most = Math.max(most, counts[at]);
  }
  const data = new ImageData(wide, high);
  counts.forEach((count, at) => {
    if (!count) return;
    data.data.set(colors[drawn[at]], 4 * at);
    data.data[4 * at + 3] = 255 * (0.25 + 0.75 * (Math.log1p(count) / Math.log1p(most)));
  });
  const bitmap = make("canvas", { width: wide, height: high });
  bitmap.getContext("2d").putImageData(data, 0, 0);
  const frame = [margin.left, margin.top, wide * CELL, high * CELL];
  painter.image({ bitmap }, ...frame, frame);
}

function drawRings(painter, { overlay, points, proj, shown, inside, radius }) {
  for (const i of overlay.rings ?? []) {
    const [x, y] = [proj.x(points[2 * i]), proj.y(points[2 * i + 1])];
    if (!shown[i] || !inside(x, y)) continue;
    painter.mark("o", x, y, radius + 2.5, null, "#222222", 1, 3.2);
    painter.mark("o", x, y, radius + 2.5, null, "#ffffff", 1, 1.8);
  }
}

function drawAnchors(painter, { proj, overlay, anchorNames, anchorStyles, palette, margin, w, field, inside }) {
  const places = overlay.anchors.map(([x, y]) => [proj.x(x), proj.y(y)]);
  places.forEach(([x, y], j) => {
    const [color, shape] = anchorStyles[j] || ["#ffffff", "o"];
    painter.mark(shape, x, y, 7.5, color, field ? LIGHT.ink : palette.ink, 1, 1.4);
  });
  const [ink, halo] = field ? [LIGHT.ink, "#ffffffd0"] : [palette.ink, `${palette.ground}d0`];
  const written = [];
  places.forEach(([x, y], j) => {
    const name = anchorNames[j] || "";
    if (!name || !inside(x, y)) return;
    const wide = widthOf(name, 12.5);
    // At the right, the left, above or below: where it covers no other name and stays in the frame.
    const choices = [
      [x + 11, y, "start", x + 11],
      [x - 11, y, "end", x - 11 - wide],
      [x, y - 17, "middle", x - wide / 2],
      [x, y + 17, "middle", x - wide / 2],
    ];
    const free = ([, top, , left]) =>
      left > margin.left &&
      left + wide < w - margin.right &&
      written.every(([x0, y0, other]) => left > x0 + other || left + wide < x0 || Math.abs(top - y0) > 13);
    const [at, top, anchor, left] = choices.find(free) ?? choices[0];
    written.push([left, top, wide]);
    painter.text(name, at, top, 12.5, { anchor, halo, color: ink });
  });
}

function drawAxes(painter, { proj, margin, bars, under, slant, axisNames, palette, w, h }) {
  const [bottom, right] = [h - margin.bottom, w - margin.right];
  const { ink, quiet, ground } = palette;
  // The margins come late, so that lines that leave the frame end at it.
  painter.rect(0, 0, margin.left, h, ground);
  painter.rect(right, 0, margin.right, h, ground);
  painter.rect(0, 0, w, margin.top, ground);
  painter.rect(0, bottom, w, margin.bottom, ground);
  painter.line(margin.left, bottom, right, bottom, quiet, 1);
  painter.line(margin.left, margin.top, margin.left, bottom, quiet, 1);
  const across = under ?? ticks(proj.left, proj.right, clamp(w / 90, 4, 6)).map((t) => [t, short(t)]);
  for (const [at, name] of across) {
    const x = proj.x(at);
    if (x < margin.left - 0.5 || x > right + 0.5) continue;
    painter.line(x, bottom, x, bottom + 4, quiet, 1);
    if (slant) painter.text(name, x + 3, bottom + 9, 11, { anchor: "end", turn: -42, color: ink });
    else painter.text(name, x, bottom + 12, 11, { anchor: "middle", color: ink });
  }
  for (const t of ticks(bars ? 0 : proj.low, proj.high)) {
    painter.line(margin.left - 4, proj.y(t), margin.left, proj.y(t), quiet, 1);
    painter.text(short(t), margin.left - 7, proj.y(t), 11, { anchor: "end", color: ink });
  }
  painter.text(axisNames[0], right, h - 9, 12, { anchor: "end", color: ink });
  painter.text(axisNames[1], 6, 11, 12, { color: ink });
}

function drawBoundsKey(painter, { styles, palette, w, margin }) {
  const upper = styles.length > 1 ? "#777777" : palette.ink;
  const right = w - margin.right;
  painter.rect(right - 192, 6, 9, 9, upper, palette.ink, 1);
  painter.text("upper bound", right - 178, 11, 12, { color: palette.ink });
  painter.rect(right - 88, 6, 9, 9, palette.ground, palette.ink, 1);
  painter.text("lower bound", right - 74, 11, 12, { color: palette.ink });
}

// ================================================================ data: frames, colours by class or column
// Of bars come lower and upper end in turn; the points are the middles of their tops.
function barsOf(sent) {
  return {
    points: sent.map((end, i) => (i % 2 ? end : i / 2 + 1)),
    lower: sent.filter((_, i) => i % 2 === 0),
  };
}

// The samples of a frame sorted into cells, so that those around a place are found without asking all.
class Cells {
  constructor(points) {
    const n = points.length / 2;
    this.side = Math.max(1, Math.round(Math.sqrt(n / 4)));
    this.low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    points.forEach((v, i) => {
      this.low[i % 2] = Math.min(this.low[i % 2], v);
      high[i % 2] = Math.max(high[i % 2], v);
    });
    this.step = this.low.map((low, k) => (high[k] - low) / this.side || 1);
    const cell = (i) => this.column(points[2 * i + 1], 1) * this.side + this.column(points[2 * i], 0);
    this.begin = new Uint32Array(this.side ** 2 + 1);
    for (let i = 0; i < n; i++) this.begin[cell(i) + 1] += 1;
    for (let c = 0; c < this.side ** 2; c++) this.begin[c + 1] += this.begin[c];
    const next = this.begin.slice();
    this.order = new Uint32Array(n);
    for (let i = 0; i < n; i++) this.order[next[cell(i)]++] = i;
  }

  column(value, k) {
    return clamp(Math.floor((value - this.low[k]) / this.step[k]), 0, this.side - 1);
  }

  // Calls `see` with each sample of the cells that touch a box of data.
  within(x0, x1, y0, y1, see) {
    for (let row = this.column(y0, 1); row <= this.column(y1, 1); row++) {
      const from = this.begin[row * this.side + this.column(x0, 0)];
      const to = this.begin[row * this.side + this.column(x1, 0) + 1];
      for (let k = from; k < to; k++) see(this.order[k]);
    }
  }
}

// Whether each sample is of a rare class, which has less than 5 % of them and less than half of an equal part.
function rareSamples(labels) {
  const counts = [];
  for (const c of labels) counts[c] = (counts[c] ?? 0) + 1;
  const least = Math.min(0.05, 0.5 / counts.filter(Boolean).length) * labels.length;
  return Array.from(labels, (c) => counts[c] < least);
}

// What can colour the samples: their class, and each column. `codes` are numbers of `styles` (colour and mark), `names`
// the groups that a legend lists, none for values, whose scale goes from `low` to `high`; `hidden` are groups.
function colourings(model) {
  const labels = Uint32Array.from(model.get("labels"));
  const [styles, names] = [model.get("styles"), model.get("label_names")];
  const classes = {
    name: names.length > 1 ? "class" : "none",
    codes: labels,
    styles,
    names: names.length > 1 ? names : [],
    hidden: new Set(),
  };
  const marks = styles.length <= 10 ? styles.map(([, mark]) => mark) : null;
  const columns = (model.get("columns") ?? []).map((column) =>
    column.kind === "number"
      ? coloursOfValues(column, marks, labels)
      : { ...column, codes: Uint32Array.from(column.codes), hidden: new Set() },
  );
  return [classes, ...columns];
}

// Values take their colour from a scale and their mark from the class. Few values far out do not stretch the scale.
function coloursOfValues({ name, values, texts }, marks, labels) {
  const numbers = new Float64Array(values.buffer.slice(values.byteOffset, values.byteOffset + values.byteLength));
  const sorted = numbers.filter((v) => !Number.isNaN(v)).sort();
  const at = (fraction) => sorted[Math.round(fraction * (sorted.length - 1))] ?? 0;
  let [low, high] = [at(0), at(1)];
  const cut = high - low > 4 * (at(0.98) - at(0.02)) && at(0.98) > at(0.02);
  if (cut) [low, high] = [at(0.02), at(0.98)];
  const kinds = marks ?? ["o"];
  const styles = kinds.flatMap((mark) => [
    ...Array.from({ length: LEVELS }, (_, k) => [scaleColor(k / (LEVELS - 1)), mark]),
    [MISSING, mark],
  ]);
  const level = (v) =>
    Number.isNaN(v) ? LEVELS : Math.round(clamp((v - low) / (high - low || 1), 0, 1) * (LEVELS - 1));
  const codes = Uint32Array.from(numbers, (v, i) => (marks ? labels[i] : 0) * (LEVELS + 1) + level(v));
  const missing = numbers.length - sorted.length;
  return { name, codes, styles, names: [], numbers, texts, low, high, cut, missing, hidden: new Set() };
}

function valueText(column, i) {
  if (column.texts) return column.texts[i] || "missing";
  if (column.numbers) return Number.isNaN(column.numbers[i]) ? "missing" : short(column.numbers[i]);
  return column.names[column.codes[i]];
}

// ================================================================ settings: what the sliders say, and what is computed
class Settings {
  constructor(model) {
    this.model = model;
    this.axes = model.get("axes");
    this.root = null; // set when it is there
    this.number = 0; // of the frame that is shown
    this.moved = []; // names of the axes that went along with the one that was moved
  }

  // Whether a kernel answers. The model that tells comes a moment later; until then, what the application marks.
  connected() {
    if (this.model.get("offline")) return false;
    return this.live ? this.live.comm_live : !this.root?.closest(".jupyter-widgets-disconnected");
  }

  async findModel() {
    this.live = await this.model.widget_manager?.get_model?.(this.model.get("own_id"));
  }

  // Index of the value of each axis; of a number that somebody else's slider gives, the nearest.
  wanted() {
    return this.axes.map(({ name, values }) => {
      const value = this.model.get(`value_${name}`);
      const exact = values.indexOf(value);
      if (exact >= 0 || typeof value !== "number") return Math.max(0, exact);
      return values.reduce((best, v, i) => (Math.abs(v - value) < Math.abs(values[best] - value) ? i : best), 0);
    });
  }

  frameOf(indices) {
    const grid = this.model.get("grid");
    if (this.grid !== grid) {
      this.grid = grid;
      this.frames = new Map(grid.map((setting, number) => [setting.join(), number]));
    }
    return this.frames.get(indices.join());
  }

  total() {
    return this.axes.reduce((product, { values }) => product * values.length, 1);
  }

  // Indices of the values of an axis that can be shown: all that a kernel could compute, else those computed.
  offered(a) {
    const all = this.axes[a].values.map((_, i) => i);
    if (this.connected()) return all;
    const there = new Set(this.model.get("grid").map((setting) => setting[a]));
    return all.filter((i) => there.has(i));
  }

  // Ask for a value of an axis. Without a kernel the other axes go where this value was computed.
  move(a, index) {
    const wished = this.wanted().with(a, index);
    const taken = this.connected() || this.frameOf(wished) !== undefined ? wished : this.nearest(a, wished);
    this.moved = this.axes.filter((_, k) => taken[k] !== wished[k]).map(({ name }) => name);
    this.take(taken);
  }

  take(indices) {
    indices.forEach((index, k) => this.model.set(`value_${this.axes[k].name}`, this.axes[k].values[index]));
    this.model.save_changes();
  }

  nearest(a, wished) {
    const distance = (setting) =>
      setting.reduce(
        (sum, i, k) => sum + (this.axes[k].kind === "number" ? Math.abs(i - wished[k]) : 1000 * (i !== wished[k])),
        0,
      );
    const fits = this.model.get("grid").filter((setting) => setting[a] === wished[a]);
    return fits.reduce((best, setting) => (distance(setting) < distance(best) ? setting : best));
  }

  // Pairs of name and value of a setting; by default of the one that is shown.
  pairs(indices = this.model.get("grid")[this.number]) {
    return indices.map((i, k) => [this.axes[k].name, this.axes[k].values[i]]);
  }

  words(indices) {
    return this.pairs(indices).map(([name, value]) => `${name} = ${short(value)}`).join(", "); // prettier-ignore
  }
}

// Sliders, check boxes and lists; `sync` brings them to the setting, and rebuilds them where other values are offered.
class Controls {
  constructor(settings, row) {
    Object.assign(this, { settings, row });
  }

  sync() {
    const offers = this.settings.axes.map((_, a) => this.settings.offered(a));
    if (offers.join("|") !== this.offers?.join("|")) {
      this.offers = offers;
      this.inputs = this.settings.axes.map((axis, a) => this.input(axis, a, offers[a]));
      this.row.replaceChildren(...this.inputs.map(({ label }) => label));
    }
    this.settings.wanted().forEach((index, a) => this.inputs[a].show(index));
  }

  input({ name, values, kind }, a, offer) {
    const words = name.replaceAll("_", " ");
    const ask = (index) => this.settings.move(a, index);
    if (kind === "bool") {
      const box = named("input", words, { type: "checkbox", disabled: offer.length < 2 });
      box.addEventListener("input", () => ask(values.indexOf(box.checked)));
      return { label: make("label", {}, words, box), show: (index) => (box.checked = values[index]) };
    }
    if (kind === "choice") {
      const list = named("select", words);
      list.append(...offer.map((i) => make("option", { value: i, textContent: values[i] })));
      list.addEventListener("input", () => ask(Number(list.value)));
      return { label: make("label", {}, words, list), show: (index) => (list.value = index) };
    }
    const slider = named("input", words, { type: "range", min: 0, max: offer.length - 1, step: 1 });
    const shown = make("output");
    slider.addEventListener("input", () => ask(offer[Number(slider.value)]));
    const show = (index) => {
      slider.value = Math.max(0, offer.indexOf(index));
      shown.textContent = short(values[index]);
      slider.setAttribute("aria-valuetext", shown.textContent);
    };
    return { label: make("label", {}, words, slider, shown), show };
  }
}

// ================================================================ legend: colours, and which groups are shown
class Legend {
  constructor(explorer, el) {
    this.explorer = explorer;
    this.el = el;
    this.groups = named("div", "classes", { className: "groups" });
    this.groups.setAttribute("role", "group");
    const { colourings, model } = explorer;
    if (colourings.length > 1) {
      this.list = named("select", "Colour by", { title: "Colour by" });
      colourings.forEach(({ name }, k) =>
        this.list.append(make("option", { value: k, textContent: `colour: ${name}` })),
      );
      this.list.addEventListener("input", () => explorer.colourBy(Number(this.list.value)));
      el.append(this.list);
    }
    el.append(this.groups);
    const [hollow, full] = model.get("side_names") ?? [];
    if (hollow !== undefined) el.append(make("span", { textContent: `outlines: ${hollow}; filled: ${full ?? ""}` }));
    this.build();
  }

  build() {
    const { explorer } = this;
    const { colouring } = explorer;
    if (this.list) this.list.value = explorer.colourings.indexOf(colouring);
    this.buttons = explorer.grouping().names.map((name, group) => this.button(name, group));
    this.groups.replaceChildren(...(colouring.numbers ? this.scale(colouring) : []), ...this.buttons);
    this.sync();
  }

  button(name, group) {
    const { explorer } = this;
    const button = make("button", {
      type: "button",
      title: "click: hide or show; double click: only this one, or all",
    });
    button.addEventListener("click", () => explorer.hide(group));
    button.addEventListener("dblclick", () => explorer.isolate(group));
    button.append(make("span"), ` ${name}`);
    return button;
  }

  scale({ low, high, cut, missing, texts, numbers }) {
    const ends = [low, high].map((v) => (texts ? (texts[numbers.indexOf(v)]?.split("T")[0] ?? "") : short(v)));
    const bar = make("span", { className: "scale" });
    bar.style.background = `linear-gradient(to right, ${SCALE.join(", ")})`;
    const gone = missing ? [make("span", { textContent: `grey: ${counted(missing)} missing` })] : [];
    return [cut ? `≤ ${ends[0]}` : ends[0], bar, cut ? `≥ ${ends[1]}` : ends[1], ...gone];
  }

  // What is hidden, and the colours of the theme.
  sync() {
    const { explorer } = this;
    const styles = explorer.legendStyles(explorer.palette());
    this.buttons.forEach((button, group) => {
      button.setAttribute("aria-pressed", String(!explorer.grouping().hidden.has(group)));
      const painter = new SvgPainter();
      painter.mark(explorer.bars ? "s" : styles[group][1], 7, 7, 4.5, styles[group][0], null);
      button.firstChild.innerHTML = painter.document(14, 14);
    });
  }
}

// ================================================================ files: PNG, SVG, CSV, code
function download(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// A name from the title and the setting, such as "two-moons_beta-0.5.svg".
function fileName(explorer, ending) {
  const slug = (text, most) =>
    text
      .normalize("NFKD")
      .replace(/[^\w.-]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, most)
      .replace(/-$/, "");
  const title = slug(explorer.model.get("title").split(":")[0].toLowerCase(), 40) || (explorer.bars ? "bars" : "map");
  const setting = explorer.settings.pairs().map(([name, value]) => `${slug(name, 20)}-${slug(short(value), 20)}`);
  return [title, ...setting].join("_") + ending;
}

// Title, setting and legend over the picture, the caption below it: what a file needs to be understood. Returns width
// and height; with the painter `NOTHING` only these.
const NOTHING = new Proxy({}, { get: () => () => () => {} });

function poster(painter, explorer) {
  const scene = explorer.scene(LIGHT);
  const { model } = explorer;
  const { w, h } = scene;
  let y = 8;
  const write = (text, size, look) => {
    for (const line of lines(text, w - 24, size, look?.weight)) {
      painter.text(line, 12, y + 0.7 * size, size, look);
      y += 1.35 * size;
    }
  };
  write(model.get("title"), 15, { weight: "bold" });
  write([explorer.settings.words(), explorer.overlay().status].filter(Boolean).join(": "), 12);
  y = drawLegend(painter, explorer, y + 4, w - 24);
  painter.lowered(y, () => {
    drawScene(painter, scene);
    drawPointed(painter, scene, { cursor: explorer.cursor, found: [], drawn: null });
  });
  y += h + 4;
  write(model.get("caption"), 12, { color: LIGHT.quiet });
  return [w, Math.ceil(y + 8)];
}

function drawLegend(painter, explorer, top, width) {
  const { colouring, model } = explorer;
  const { names, hidden } = explorer.grouping();
  const styles = explorer.legendStyles(LIGHT);
  const entries = names.flatMap((name, group) => (hidden.has(group) ? [] : [[name, styles[group]]]));
  let [x, y] = [12, top + 8];
  for (const [name, [color, shape]] of entries) {
    const wide = 26 + widthOf(name, 12);
    if (x > 12 && x + wide > width) [x, y] = [12, y + 19];
    painter.mark(explorer.bars ? "s" : shape, x + 5, y, 4.5, color, null);
    painter.text(name, x + 14, y, 12);
    x += wide;
  }
  if (colouring.numbers) {
    const ends = [colouring.low, colouring.high].map(short);
    painter.text(`${colouring.name}: ${ends[0]}`, x, y, 12);
    x += widthOf(`${colouring.name}: ${ends[0]}`, 12) + 8;
    for (let k = 0; k < LEVELS; k++) painter.rect(x + 5 * k, y - 6, 5.2, 12, scaleColor(k / (LEVELS - 1)));
    painter.text(ends[1], x + 5 * LEVELS + 8, y, 12);
    x += 5 * LEVELS + 8 + widthOf(ends[1], 12);
  }
  const [hollow, full] = model.get("side_names") ?? [];
  if (hollow !== undefined) {
    if (x > 12) [x, y] = [12, y + 19];
    painter.text(`outlines: ${hollow}; filled: ${full ?? ""}`, 12, y, 12);
    x = 13;
  }
  return x > 12 ? y + 14 : top;
}

function saveSvg(explorer) {
  const painter = new SvgPainter();
  painter.rect(0, 0, ...poster(NOTHING, explorer), LIGHT.ground);
  const size = poster(painter, explorer);
  const about = `${explorer.settings.words()}. ${explorer.overlay().status ?? ""}`;
  download(fileName(explorer, ".svg"), "image/svg+xml", painter.document(...size, explorer.model.get("title"), about));
}

// Twice the pixels of the screen's picture.
function savePng(explorer) {
  const [width, height] = poster(NOTHING, explorer);
  const canvas = make("canvas", { width: 2 * width, height: 2 * height });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  const painter = new CanvasPainter(context, 2);
  painter.rect(0, 0, width, height, LIGHT.ground);
  poster(painter, explorer);
  canvas.toBlob((blob) => download(fileName(explorer, ".png"), "image/png", blob));
}

// One row per sample or bar: what the tip tells, and in each row the setting.
function csv(explorer) {
  const { bars, labels, model, columns, settings } = explorer;
  const { points } = explorer.frame();
  const chosen = new Set(model.get("selected"));
  const [sides, outlined] = [model.get("side_names") ?? [], model.get("outlined") ?? []];
  const classes = model.get("label_names");
  const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const plain = (value) => (typeof value === "number" ? String(value) : quote(value));
  const exact = (v) => [5, 6, 7, 8].map((p) => Number(v.toPrecision(p))).find((w) => Math.fround(w) === v) ?? v;
  const ends = (i) => explorer.ends(i).map(exact);
  const fields = [
    [
      bars ? "feature" : "sample",
      (i) => (bars ? quote(explorer.name(i)) : explorer.names.length ? quote(explorer.names[i]) : i),
    ],
    [bars ? "lower" : "axis_1", (i) => (bars ? ends(i)[0] : exact(points[2 * i]))],
    [bars ? "upper" : "axis_2", (i) => (bars ? ends(i)[1] : exact(points[2 * i + 1]))],
    ["label", (i) => quote(classes.length > 1 ? classes[labels[i]] : "")],
    ["selected", (i) => Number(chosen.has(i))],
  ];
  if (sides.length) fields.push(["side", (i) => quote(sides[outlined[i] ? 0 : 1])]);
  if (explorer.overlay().hover ?? explorer.hover.length) fields.push(["hover", (i) => quote(explorer.text(i))]);
  for (const column of columns) {
    fields.push([
      column.name,
      (i) =>
        column.numbers && !column.texts
          ? Number.isNaN(column.numbers[i])
            ? ""
            : column.numbers[i]
          : quote(valueText(column, i)),
    ]);
  }
  for (const [name, value] of settings.pairs()) fields.push([`setting ${name}`, () => plain(value)]);
  const rows = Array.from(labels, (_, i) => fields.map(([, value]) => value(i)).join(","));
  return [fields.map(([name]) => (/^\w[\w ]*$/.test(name) ? name : quote(name))).join(","), ...rows].join("\n") + "\n";
}

async function copyCode(explorer) {
  const text = explorer.overlay().code;
  explorer.root.dataset.code = text;
  try {
    await navigator.clipboard.writeText(text);
    explorer.say("Code copied.");
  } catch {
    explorer.root.querySelector("textarea")?.remove();
    const area = named("textarea", "Code of this setting", { value: text, rows: text.split("\n").length + 1 });
    explorer.tools.after(area);
    area.select();
  }
}

// ================================================================ hands: mouse, pen, fingers
// Whether a place lies in a polygon, by the number of its edges to the right.
function inPolygon(x, y, corners) {
  let inside = false;
  corners.forEach(([x1, y1], k) => {
    const [x0, y0] = corners.at(k - 1);
    if (y1 > y !== y0 > y && x < ((x0 - x1) * (y - y1)) / (y0 - y1) + x1) inside = !inside;
  });
  return inside;
}

function boxOf([x0, y0], [x1, y1]) {
  return [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]; // prettier-ignore
}

// Hover and tap show a sample, a click selects it, a drag moves the picture or draws a box or a lasso.
function listenToPointer(explorer) {
  const { canvas } = explorer;
  let drag = null;
  const at = (e) => [e.offsetX, e.offsetY];
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) {
      if (e.pointerType !== "touch") explorer.point(explorer.nearest(...at(e)));
      return;
    }
    const [dx, dy] = [e.offsetX - drag.from[0], e.offsetY - drag.from[1]];
    drag.moved ||= Math.hypot(dx, dy) > 3;
    if (!drag.moved) return;
    if (drag.mode === "box") {
      explorer.trace(boxOf(drag.from, at(e)));
    } else if (drag.mode === "lasso") {
      drag.path.push(at(e));
      explorer.trace(drag.path);
    } else if (e.pointerType !== "touch") {
      explorer.moveView(drag.view, dx, dy);
    }
  });
  canvas.addEventListener("pointerdown", (e) => {
    if (e.button) return;
    drag = { from: at(e), path: [at(e)], view: { ...explorer.view }, mode: e.shiftKey ? "box" : explorer.mode };
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener("pointerup", (e) => {
    if (drag && !drag.moved) {
      const i = explorer.nearest(...at(e), e.pointerType === "touch" ? 24 : 12);
      if (e.pointerType === "touch") explorer.point(i);
      else if (i >= 0) explorer.toggle(i);
    } else if (drag?.mode) {
      const corners = drag.mode === "box" ? boxOf(drag.from, at(e)) : drag.path;
      explorer.choose(explorer.within(corners), e.ctrlKey || e.metaKey ? "add" : e.altKey ? "take" : null);
    }
    drag = null;
    explorer.trace(null);
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
    explorer.trace(null);
  });
  canvas.addEventListener("pointerleave", (e) => {
    if (!drag && e.pointerType !== "touch") explorer.point(-1);
  });
  canvas.addEventListener("dblclick", () => explorer.fit());
}

// The wheel belongs to the page, unless the picture was clicked or reached by key, or Ctrl is held.
function listenToWheel(explorer) {
  const { canvas } = explorer;
  const onWheel = (e) => {
    const meant = e.ctrlKey || e.metaKey;
    if (document.activeElement !== canvas && !meant) return;
    const zoomed = explorer.zoom(e.deltaY < 0 ? 1.15 : 1 / 1.15, [e.offsetX, e.offsetY]);
    if (zoomed || meant) e.preventDefault(); // at its end the wheel is the page's again
  };
  canvas.addEventListener("wheel", onWheel, { passive: false });
}

// Two fingers zoom and move; one is the page's.
function listenToFingers(explorer) {
  const { canvas } = explorer;
  let last = null;
  const read = (e) => {
    const box = canvas.getBoundingClientRect();
    const [a, b] = [...e.touches].map((t) => [t.clientX - box.left, t.clientY - box.top]);
    return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], distance: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  };
  const onTouch = (e) => {
    if (e.touches.length !== 2) {
      last = null;
      return;
    }
    e.preventDefault();
    const now = read(e);
    if (last) {
      explorer.moveView({ ...explorer.view }, now.middle[0] - last.middle[0], now.middle[1] - last.middle[1]);
      explorer.zoom(now.distance / Math.max(1, last.distance), now.middle);
    }
    last = now;
  };
  for (const name of ["touchstart", "touchmove", "touchend"]) {
    canvas.addEventListener(name, onTouch, { passive: false });
  }
}

// ================================================================ keys
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const KEYS = {
  Enter: (explorer) => explorer.cursor >= 0 && explorer.toggle(explorer.cursor),
  Escape: (explorer) => {
    explorer.use(null);
    explorer.select([]);
    explorer.point(-1);
  },
  "+": (explorer) => explorer.zoom(1.25),
  "-": (explorer) => explorer.zoom(0.8),
  0: (explorer) => explorer.fit(),
  a: (explorer) => explorer.choose(explorer.shownSamples()),
  c: (explorer) => {
    const { codes } = explorer.grouping();
    if (explorer.cursor >= 0)
      explorer.choose(explorer.shownSamples().filter((i) => codes[i] === codes[explorer.cursor]));
  },
};
KEYS["="] = KEYS["+"];
const HELP = [
  ["Arrows", "go from sample to sample; with Shift, move the picture"],
  ["Enter", "selects the sample, or removes it from the selection"],
  ["a, c", "select all samples that are shown; the class of the sample"],
  ["Escape", "clears the selection"],
  ["+ - 0", "zoom in and out, the whole picture"],
  ["Click", "selects a sample; then the wheel zooms (or Ctrl and the wheel)"],
  ["Drag", "moves the picture; with Shift it draws a box (Ctrl adds to the selection, Alt removes from it)"],
  ["Double click", "shows the whole picture; on a class: only this class, or all"],
  ["Touch", "tap shows a sample, two fingers zoom and move"],
];

function listenToKeys(explorer) {
  explorer.canvas.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || !onKey(explorer, e)) return;
    e.preventDefault();
    e.stopPropagation();
  });
}

// Whether the key has a meaning here; then its action is done.
function onKey(explorer, { key, shiftKey }) {
  const way = ARROWS[key];
  if (way && explorer.bars && !way[0]) return false;
  if (way && shiftKey) explorer.moveView({ ...explorer.view }, -60 * way[0], -60 * way[1]);
  else if (way && explorer.bars) walkBars(explorer, way[0]);
  else if (way) walkSamples(explorer, way);
  else if (KEYS[key]) KEYS[key](explorer);
  else return false;
  return true;
}

function walkBars(explorer, step) {
  const { cursor, shown } = explorer;
  let next = cursor < 0 ? (step > 0 ? 0 : shown.length - 1) : cursor + step;
  while (shown[next] === 0) next += step;
  if (next in shown) explorer.visit(next);
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
      ? explorer.nearest(explorer.width() / 2, explorer.height() / 2, Infinity)
      : explorer.nearest(...explorer.position(cursor), Infinity, ahead);
  if (next >= 0) explorer.visit(next);
}

// ================================================================ search: samples by name, text, class or column
class Search {
  constructor(explorer) {
    this.explorer = explorer;
    this.found = [];
    const what = explorer.bars ? "Find a feature" : "Find a sample";
    const where = "Searches names, classes, texts and values of columns; Enter goes to the next.";
    this.input = named("input", what, { type: "search", placeholder: what, title: where });
    this.count = make("span", { className: "count", role: "status" });
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), 120);
    });
    this.input.addEventListener("keydown", (e) => {
      e.stopPropagation();
      if (e.key === "Enter") this.next(e.shiftKey ? -1 : 1);
      if (e.key === "Escape") this.clear();
    });
  }

  look() {
    const { explorer } = this;
    this.wanted = this.input.value.trim().toLowerCase();
    this.last = -1;
    const knows = (i) => explorer.known(i).toLowerCase().includes(this.wanted);
    const all = this.wanted ? explorer.labels.map((_, i) => i).filter(knows) : [];
    this.show(all);
  }

  show(all) {
    const { explorer } = this;
    this.found = all.filter((i) => explorer.shown[i]);
    // A number is that of a sample, if samples have no other names.
    const number = explorer.names.length || explorer.bars ? NaN : Number(this.wanted.replace(/^#/, "") || NaN);
    if (explorer.shown[number]) this.found = [number, ...this.found.filter((i) => i !== number)];
    const hidden = all.length - all.filter((i) => explorer.shown[i]).length;
    this.count.textContent = this.wanted
      ? `${counted(this.found.length)} found${hidden ? `, ${counted(hidden)} more hidden` : ""}`
      : "";
    explorer.later();
  }

  next(step) {
    clearTimeout(this.timer);
    if (this.input.value.trim().toLowerCase() !== this.wanted) this.look();
    const n = this.found.length;
    if (!n) return;
    this.last = this.last < 0 && step < 0 ? n - 1 : (this.last + step + n) % n;
    this.explorer.visit(this.found[this.last]);
    this.count.textContent = `${counted(this.last + 1)} of ${counted(n)}`;
  }

  clear() {
    this.input.value = "";
    this.look();
  }
}

// ================================================================ the explorer
const CSS = `
.tkx {
  --ground: #ffffff; --ink: #222222; --quiet: #555555; --rule: #e8e8e8; --thread: #9a9a9a; --edge: #8a8f96;
  --button: #f4f5f7; --accent: #0072B2; --bad: #b00020;
  font: 13px/1.35 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 880px; padding: 4px;
  box-sizing: border-box; color-scheme: light;
}
DARK
.tkx * { box-sizing: border-box; }
.tkx h4 { margin: 2px 0 4px; font-size: 14px; line-height: 1.3; color: inherit; }
.tkx .row, .tkx .legend, .tkx .groups, .tkx .tools, .tkx .bottom {
  display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center;
}
.tkx .row, .tkx .legend, .tkx .tools { margin: 4px 0; }
.tkx .row:empty, .tkx .note:empty { display: none; }
.tkx .row { gap: 4px 18px; }
.tkx .tools { gap: 4px; }
.tkx .tools .gap { width: 8px; }
.tkx .stage { position: relative; border: 1px solid var(--rule); border-radius: 3px; }
.tkx canvas { display: block; }
.tkx .stage > canvas {
  width: 100%; touch-action: pan-x pan-y; cursor: crosshair;
}
.tkx .stage > canvas.using { touch-action: none; }
.tkx .over { position: absolute; inset: 0; pointer-events: none; }
.tkx .over canvas { width: 100%; height: 100%; }
.tkx button, .tkx select, .tkx input[type=search] {
  font: inherit; font-size: 12px; min-height: 26px; min-width: 26px; border: 1px solid var(--edge); border-radius: 4px;
  background: var(--button); color: var(--ink); padding: 2px 7px; margin: 0;
}
.tkx button { cursor: pointer; }
.tkx .legend select { max-width: 14em; }
.tkx input[type=search] { width: 10.5em; cursor: text; }
.tkx .groups button { border-color: transparent; background: none; display: inline-flex; gap: 4px; align-items: center; }
.tkx .groups button:hover { border-color: var(--edge); }
.tkx .groups button span { display: inline-flex; }
.tkx .groups button[aria-pressed=false] { color: var(--quiet); text-decoration: line-through; }
.tkx .groups button[aria-pressed=false] svg { opacity: 0.25; }
.tkx .tools button[aria-pressed=true] { background: var(--accent); color: #ffffff; }
.tkx .scale { width: 140px; height: 12px; border-radius: 2px; display: inline-block; print-color-adjust: exact; }
.tkx :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.tkx .tip {
  position: absolute; pointer-events: none; background: var(--ground); border: 1px solid var(--edge); border-radius: 3px;
  padding: 3px 6px; font-size: 12px; max-width: min(300px, 80%); white-space: pre-line; overflow-wrap: anywhere; z-index: 5;
}
.tkx .tip canvas { margin-top: 3px; image-rendering: pixelated; }
.tkx .tip .image { width: 64px; }
.tkx .tip .strip { display: flex; gap: 8px; justify-content: space-between; align-items: center; }
.tkx .caption, .tkx .help, .tkx .note { color: var(--quiet); font-size: 12px; margin: 3px 0; }
.tkx .note { color: var(--ink); border-left: 3px solid var(--accent); padding-left: 8px; }
.tkx .help dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 4px 0; }
.tkx .help dd { margin: 0; }
.tkx .help summary { cursor: pointer; min-height: 24px; }
.tkx .bottom { justify-content: space-between; min-height: 1.4em; }
.tkx .status { font: inherit; color: inherit; font-variant-numeric: tabular-nums; }
.tkx .status.wrong { color: var(--bad); }
.tkx .count { color: var(--quiet); }
.tkx .stage[aria-busy=true] > canvas { opacity: 0.55; }
.tkx .stage[aria-busy=true] + .bottom .status::before {
  content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .5em; border-radius: 50%;
  border: 2px solid var(--accent); border-right-color: transparent; animation: tkx-turn 1s linear infinite;
}
@keyframes tkx-turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .tkx .stage[aria-busy=true] + .bottom .status::before { animation: none; } }
.tkx label { display: inline-flex; gap: 6px; align-items: center; color: inherit; font-weight: normal; }
.tkx input[type=range] { width: 200px; max-width: 46vw; min-height: 24px; accent-color: var(--accent); }
.tkx input[type=checkbox] { width: 24px; height: 24px; margin: 1px; accent-color: var(--accent); }
.tkx output { min-width: 2.5em; font-variant-numeric: tabular-nums; }
.tkx textarea { width: 100%; font: 12px/1.4 monospace; background: var(--button); color: var(--ink); }
.tkx .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tkx .printed { display: none; }
@media print {
  .tkx { break-inside: avoid; max-width: none; padding: 0; }
  .tkx .row, .tkx .tools, .tkx .help, .tkx .tip, .tkx .over, .tkx .legend select, .tkx textarea { display: none !important; }
  .tkx .groups button { padding: 0 6px 0 0; min-height: 0; }
  .tkx .groups button[aria-pressed=false] { display: none; }
  .tkx .printed { display: block; }
}`;

const DARK = `{
  --ground: #14181d; --ink: #e3e7ec; --quiet: #a5afba; --rule: #2a323b; --thread: #6b7682; --edge: #66717d;
  --button: #1e242b; --accent: #4da3e0; --bad: #ff9492; color-scheme: dark;
}`;
// A theme of the application (JupyterLab, VS Code) stands above that of the system.
const THEMES = `
body[data-jp-theme-light=false] .tkx, body.vscode-dark .tkx ${DARK}
@media screen and (prefers-color-scheme: dark) { body:not([data-jp-theme-light], .vscode-light) .tkx ${DARK} }
body[data-jp-theme-light=false] .tkx .tools button[aria-pressed=true] { color: #000000; }
@media screen and (prefers-color-scheme: dark) {
  body:not([data-jp-theme-light], .vscode-light) .tkx .tools button[aria-pressed=true] { color: #000000; }
}`;

const HOW = { new: "new selection", add: "add to selection", take: "remove from selection" };
const GROUP = "toolkit-explorer"; // the event by which explorers of a group tell each other what they show

class Explorer {
  constructor(model, el) {
    this.model = model;
    this.settings = new Settings(model);
    this.barNames = model.get("bar_names") ?? [];
    this.bars = this.barNames.length > 0;
    this.labels = model.get("labels");
    this.rare = rareSamples(this.labels);
    this.hover = model.get("hover") ?? [];
    this.names = model.get("names") ?? [];
    this.colourings = colourings(model);
    this.columns = this.colourings.slice(1);
    this.begun = this.columns.findIndex(({ name }) => name === model.get("color_by")) + 1; // colouring at first
    this.colouring = this.colourings[this.begun];
    this.shown = new Uint8Array(this.labels.length).fill(1);
    const images = model.get("images");
    this.pixels = images?.byteLength ? new Uint8Array(images.buffer, images.byteOffset, images.byteLength) : null;
    this.frames = new Map(); // number of a frame -> what it was read from, its points and their cells
    this.fields = new WeakMap(); // PNG of a background -> the same, and its bitmap once the browser has decoded it
    this.view = { x: 0, y: 0, zoom: 1 };
    this.cursor = -1;
    this.mode = null; // "box" or "lasso" while the pointer draws
    this.drawn = null; // corners of what is being drawn
    this.build(el);
    this.first = this.settings.wanted();
  }

  // -------------------------------------------------------------- its elements
  build(el) {
    const { model } = this;
    const title = model.get("title");
    this.canvas = make("canvas", { tabIndex: 0 });
    this.canvas.setAttribute("role", "img");
    this.over = make("canvas");
    this.tip = make("div", { className: "tip", hidden: true });
    this.spoken = make("div", { className: "spoken" });
    this.spoken.setAttribute("aria-live", "polite");
    this.status = make("div", { className: "status", role: "status" });
    this.chosen = make("div", { className: "count", role: "status" });
    this.note = make("p", { className: "note" });
    this.printed = make("p", { className: "printed" });
    this.tools = named("div", "tools", { className: "tools", role: "group" });
    const [row, legend] = [make("div", { className: "row" }), make("div", { className: "legend" })];
    const over = make("div", { className: "over" }, this.over);
    over.setAttribute("aria-hidden", "true");
    this.root = named(
      "div",
      title || "Explorer",
      { className: "tkx", role: "group" },
      make("style", { textContent: CSS.replace("DARK", THEMES) }),
      make("h4", { textContent: title }),
      row,
      this.note,
      this.printed,
      legend,
      make("div", { className: "stage" }, this.canvas, over, this.tip),
      make("div", { className: "bottom" }, this.status, this.chosen),
      this.tools,
      make("p", { className: "caption", textContent: model.get("caption") }),
      this.help(),
      this.spoken,
    );
    el.append(this.root);
    this.settings.root = this.root;
    this.controls = new Controls(this.settings, row);
    this.legend = new Legend(this, legend);
    this.search = new Search(this);
    this.addTools();
    listenToPointer(this);
    listenToWheel(this);
    listenToFingers(this);
    listenToKeys(this);
  }

  help() {
    const list = make("dl");
    for (const [what, does] of HELP) list.append(make("dt", { textContent: what }), make("dd", { textContent: does }));
    return make("details", { className: "help" }, make("summary", { textContent: "Keys, mouse and touch" }), list);
  }

  addTools() {
    const add = (text, label, action) => {
      const button = named("button", label, { type: "button", textContent: text });
      button.addEventListener("click", action);
      this.tools.append(button);
      return button;
    };
    const gap = () => this.tools.append(make("span", { className: "gap" }));
    add("+", "Zoom in", () => this.zoom(1.5));
    add("−", "Zoom out", () => this.zoom(1 / 1.5));
    add("Fit", "Fit: show the whole picture", () => this.fit());
    gap();
    this.modes = {
      box: add("Box", "Box: drag to select", () => this.use(this.mode === "box" ? null : "box")),
      lasso: add("Lasso", "Lasso: drag to select", () => this.use(this.mode === "lasso" ? null : "lasso")),
    };
    this.how = named("select", "What a new selection does", { title: "What a new selection does" });
    for (const [value, text] of Object.entries(HOW)) this.how.append(make("option", { value, textContent: text }));
    this.tools.append(this.how);
    gap();
    this.tools.append(this.search.input, this.search.count);
    gap();
    add("PNG", "Save as PNG", () => savePng(this));
    add("SVG", "Save as SVG", () => saveSvg(this));
    add("CSV", "Save as CSV", () => download(fileName(this, ".csv"), "text/csv", csv(this)));
    if (this.model.get("overlays").some(({ code }) => code))
      add("Copy code", "Copy code of this setting", () => copyCode(this));
    gap();
    add("Reset", "Reset everything", () => this.reset());
    this.use(null);
  }

  // -------------------------------------------------------------- what is shown
  width() {
    return Math.max(280, this.canvas.clientWidth || 640);
  }

  // As high as the map is over its width, within a window of which it leaves room for controls and status.
  height() {
    const w = this.width();
    const { margin } = this.axis ?? { margin: MARGIN };
    const most = clamp(0.56 * window.innerHeight, 300, 560);
    if (!this.model.get("equal_aspect")) return Math.round(Math.min(most, 0.68 * w));
    const [x0, x1, y0, y1] = this.model.get("limits")[this.settings.number];
    const inner = ((w - margin.left - margin.right) * (y1 - y0)) / (x1 - x0);
    return Math.round(Math.min(most, 0.9 * w, Math.max(0.36 * w, inner + margin.top + margin.bottom)));
  }

  overlay() {
    return this.model.get("overlays")[this.settings.number];
  }

  // Points of the current frame, and of bars their lower ends.
  frame() {
    const { number } = this.settings;
    const bytes = this.model.get("frames")[number];
    if (this.frames.get(number)?.bytes !== bytes) {
      const sent = floats(bytes);
      const read = this.bars ? barsOf(sent) : { points: sent };
      this.frames.set(number, { bytes, ...read });
    }
    return this.frames.get(number);
  }

  // The background of a frame; without a bitmap until it is decoded.
  field(number = this.settings.number) {
    const { background } = this.model.get("overlays")[number];
    if (!background) return null;
    const [list, position] = background.at;
    const png = this.model.get(`backgrounds_${list}`)[position];
    if (!this.fields.has(png)) {
      const field = { png };
      this.fields.set(png, field);
      createImageBitmap(new Blob([png], { type: "image/png" })).then((bitmap) => {
        field.bitmap = bitmap;
        if (this.field() === field) this.later();
      });
    }
    return this.fields.get(png);
  }

  // Decode the backgrounds of the other settings before they are requested.
  prepareFields() {
    const prepare = (number) => {
      if (number >= Math.min(MOST_FIELDS, this.model.get("frames").length)) return;
      this.field(number);
      setTimeout(prepare, 20, number + 1);
    };
    if (!this.prepared) prepare(0);
    this.prepared = true;
  }

  // Colours of the theme; bars are black and white as their captions say, in every theme.
  palette() {
    if (this.printing || this.bars) return LIGHT;
    const style = getComputedStyle(this.root);
    return Object.fromEntries(
      [...Object.keys(LIGHT), "accent"].map((name) => [
        name,
        style.getPropertyValue(`--${name}`).trim() || LIGHT[name],
      ]),
    );
  }

  // Colour and mark of each group, on this ground. Fields are light in every theme, and so are the samples on them.
  styles(palette = this.palette()) {
    const { styles } = this.colouring;
    if (this.overlay().background || luminance(palette.ground) > 0.4) return styles;
    this.lightened ??= new WeakMap();
    if (!this.lightened.has(styles))
      this.lightened.set(styles, styles.map(([color, mark]) => [onGround(color, palette.ground), mark])); // prettier-ignore
    return this.lightened.get(styles);
  }

  // The same for the legend: where colours are a scale, marks without a colour.
  legendStyles(palette) {
    const { colouring, colourings } = this;
    return colouring.numbers ? colourings[0].styles.map(([, mark]) => [palette.quiet, mark]) : this.styles(palette);
  }

  // All that `drawScene` needs.
  scene(palette = this.palette()) {
    const { model, colouring } = this;
    const [w, h] = [this.width(), this.height()];
    this.axis = barAxis(this.barNames, w, this.view.zoom);
    const { margin } = this.axis;
    const limits = model.get("limits")[this.settings.number];
    const n = this.labels.length;
    const overlay = this.overlay();
    const [right, bottom] = [w - margin.right + 6, h - margin.bottom + 6];
    const styles = this.styles(palette);
    return {
      w,
      h,
      palette,
      proj: projection(limits, this.view, w, h, model.get("equal_aspect"), margin, this.bars),
      ...this.frame(),
      ...this.axis,
      bars: this.bars,
      field: this.field(),
      codes: colouring.codes,
      rare: this.rare,
      styles,
      shown: this.shown,
      outlined: model.get("outlined") ?? [],
      selected: model.get("selected"),
      radius:
        clamp(12 * n ** -0.2, 1.3, 4) * clamp(w / 640, 0.7, 1) *
        clamp(this.view.zoom ** 0.3, 1, 2.2),
      opacity: clamp(4.3 * n ** -0.25, 0.25, 0.75),
      overlay,
      anchorNames: model.get("anchor_names"),
      anchorStyles: model
        .get("anchor_styles")
        .map(([color, mark]) => [overlay.background ? color : onGround(color, palette.ground), mark]),
      axisNames: overlay.axis_names ?? model.get("axis_names"),
      inside: (x, y) => x > margin.left - 6 && x < right && y > margin.top - 6 && y < bottom,
    };
  }

  later() {
    this.pending ??= requestAnimationFrame(() => this.draw());
  }

  // The canvas above alone: what is pointed at.
  laterOver() {
    this.pendingOver ??= requestAnimationFrame(() => this.drawOver());
  }

  draw() {
    this.pending = null;
    const { settings, canvas } = this;
    const wished = settings.frameOf(settings.wanted());
    const before = settings.number;
    settings.number = wished ?? Math.min(before, this.model.get("frames").length - 1);
    if (settings.number !== before) {
      this.said = "";
      this.colourFrom(before);
    }
    this.controls.sync();
    const scene = this.scene();
    if (scene.field && !scene.field.bitmap) {
      delete canvas.dataset.drawn; // the last frame stays until this one is decoded
      return;
    }
    drawScene(new CanvasPainter(this.resized(canvas, scene), this.ratio), scene);
    this.current = scene;
    if (this.cursor >= 0) this.fillTip(this.cursor);
    this.legend.sync();
    this.tell(wished === undefined);
    canvas.dataset.frame = settings.number;
    this.drawOver();
    this.prepareFields();
  }

  drawOver() {
    cancelAnimationFrame(this.pendingOver);
    this.pendingOver = null;
    if (!this.current) return;
    const context = this.resized(this.over, this.current);
    const found = this.search.found.length > MOST_RINGS ? [] : this.search.found; // more would cover the map
    drawPointed(new CanvasPainter(context), this.current, { ...this, found });
    this.canvas.dataset.drawn = performance.now();
  }

  // A canvas cleared, with as many pixels as the screen has there.
  resized(canvas, { w, h }) {
    this.ratio = window.devicePixelRatio || 1;
    const [wide, high] = [Math.round(w * this.ratio), Math.round(h * this.ratio)];
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    if (canvas === this.canvas) canvas.style.aspectRatio = `${w} / ${h}`;
    const context = canvas.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, w, h);
    return context;
  }

  // In words: the status, what is missing, how many are selected.
  tell(missing) {
    const { model, settings, bars } = this;
    const error = model.get("error");
    const busy = missing && !error && settings.connected();
    const shows = `The picture shows ${settings.words()}.`;
    let text = this.overlay().status ?? "";
    if (error) text = `Error: ${error.replace(/[.!?]?$/, ".")}${missing ? ` ${shows}` : ""}`;
    else if (busy) text = `computing ${settings.words(settings.wanted())} …`;
    else if (missing)
      text = `Not connected to a kernel, and ${settings.words(settings.wanted())} was not computed. ${shows}`;
    this.canvas.parentElement.setAttribute("aria-busy", String(busy));
    this.status.classList.toggle("wrong", Boolean(error));
    if (this.said) text = this.said;
    if (this.status.textContent !== text) this.status.textContent = text;
    const [done, of] = [model.get("grid").length, settings.total()];
    const offer = `${counted(done)} of ${counted(of)} settings are computed; only those are offered.`;
    const remedy = model.get("offline") ? "" : " Not connected to a kernel: run the cell again for the others.";
    const along = settings.moved.length ? ` ${settings.moved.join(", ")} changed as well.` : "";
    this.note.textContent = done < of && !settings.connected() ? offer + along + remedy : "";
    const colour = this.colouring === this.colourings[0] ? "" : `; colour: ${this.colouring.name}`;
    this.printed.textContent = settings.words() + colour;
    this.tellSelection();
    const what = `${this.labels.length} ${bars ? "features" : "samples"}`;
    this.canvas.setAttribute("aria-label", `${model.get("title")}: ${what}. ${text}`);
  }

  tellSelection() {
    const selected = this.model.get("selected");
    const { names, codes } = this.grouping();
    const counts = new Map();
    selected.forEach((i) => counts.set(codes[i], (counts.get(codes[i]) ?? 0) + 1));
    const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([code, count]) => `${names[code]} (${counted(count)})`);
    const detail = names.length && parts.length <= 10 ? `: ${parts.join(", ")}` : "";
    const text = selected.length
      ? `${counted(selected.length)} of ${counted(this.labels.length)} selected${detail}`
      : "";
    const raster = this.current.counts ? "A cell has the colour of one of its samples; zoom in for all. " : "";
    if (this.chosen.textContent !== raster + text) this.chosen.textContent = raster + text;
  }

  // A word for a moment, in place of the status.
  say(text) {
    this.said = text;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      this.said = "";
      this.later();
    }, 2500);
    this.later();
  }

  // -------------------------------------------------------------- samples
  name(i) {
    return this.bars ? this.barNames[i] : (this.names[i] ?? `#${i}`);
  }

  text(i) {
    return this.overlay().hover?.[i] ?? this.hover[i] ?? "";
  }

  // Its class, and its side where there are two, such as fitted or held out.
  group(i) {
    const sides = this.model.get("side_names") ?? [];
    const side = sides.length ? sides[this.model.get("outlined")[i] ? 0 : 1] : "";
    return [this.colourings[0].names[this.labels[i]], side].filter(Boolean).join(", ");
  }

  // All that is known of a sample in words.
  known(i) {
    return [this.name(i), this.group(i), this.text(i), ...this.columns.map((column) => valueText(column, i))].join("\n");
  }

  shownSamples() {
    return this.labels.map((_, i) => i).filter((i) => this.shown[i]);
  }

  // Pixels of a sample, or of the top of a bar.
  position(i) {
    const { proj, points } = this.scene();
    return [proj.x(points[2 * i]), proj.y(points[2 * i + 1])];
  }

  // The sample next to a pixel, or the bar in its column; -1 for none.
  nearest(x, y, reach = 12, allowed = () => true) {
    const { shown } = this;
    const { proj, points, margin } = this.scene();
    if (this.bars) {
      const column = x < margin.left ? -1 : Math.round(proj.dataX(x)) - 1;
      return shown[column] ? column : -1;
    }
    let best = -1;
    let least = reach * reach;
    const see = (i) => {
      if (!shown[i]) return;
      const dx = proj.x(points[2 * i]) - x;
      const dy = proj.y(points[2 * i + 1]) - y;
      const squared = dx * dx + dy * dy;
      if (squared < least && allowed(dx, dy, i)) {
        least = squared;
        best = i;
      }
    };
    const frame = this.frame();
    frame.cells ??= new Cells(points);
    if (reach === Infinity) shown.forEach((_, i) => see(i));
    else
      frame.cells.within(
        proj.dataX(x - reach),
        proj.dataX(x + reach),
        proj.dataY(y + reach),
        proj.dataY(y - reach),
        see,
      );
    return best;
  }

  // Numbers of the samples within a polygon of pixels; of bars those in its columns.
  within(corners) {
    const { proj, points } = this.scene();
    const edges = corners.map(([x]) => x);
    const [low, high] = [Math.min(...edges), Math.max(...edges)];
    return this.shownSamples().filter((i) => {
      const x = proj.x(points[2 * i]);
      return x >= low && x <= high && (this.bars || inPolygon(x, proj.y(points[2 * i + 1]), corners));
    });
  }

  // The values at the ends of a bar.
  ends(i) {
    const { points, lower } = this.frame();
    return [lower[i], points[2 * i + 1]];
  }

  // Move the cursor to a sample and show what is known of it; away with -1.
  point(i, tellOthers = true) {
    const same = this.cursor === i;
    this.cursor = i;
    this.tip.hidden = i < 0;
    if (i >= 0) this.fillTip(i);
    if (!same) this.laterOver();
    if (!same && tellOthers) this.tellGroup({ cursor: i });
  }

  // Point at a sample by key, wherever it is: the view goes there, and it is spoken.
  visit(i) {
    const { proj, margin, w, h, points } = this.scene();
    const [x, y] = this.position(i);
    const across = x < margin.left || x > w - margin.right;
    const limits = this.model.get("limits")[this.settings.number];
    if (across) this.view.x += proj.dataX(x) - (limits[0] + limits[1]) / 2 - this.view.x;
    if (!this.bars && (y < margin.top || y > h - margin.bottom))
      this.view.y = points[2 * i + 1] - (limits[2] + limits[3]) / 2;
    this.point(i);
    this.speak();
    this.later();
  }

  speak() {
    this.spoken.textContent = this.tip.innerText.trim().replace(/\s*\n\s*/g, ", ");
  }

  fillTip(i) {
    const { tip, bars, pixels, columns } = this;
    const parts = [`${this.name(i)}  ${this.group(i)}`];
    if (this.text(i)) parts.push(this.text(i));
    if (bars) parts.push(this.ends(i).map((v) => Number(v.toPrecision(3))).join(" to ")); // prettier-ignore
    tip.replaceChildren(parts.join("\n"));
    for (const column of columns.slice(0, MOST_TOLD)) tip.append(this.strip(column, i));
    if (columns.length > MOST_TOLD) tip.append(`and ${columns.length - MOST_TOLD} more`);
    if (pixels) tip.append(this.thumbnail(i));
    const [x, y] = this.position(i);
    const offset = 14 + (bars ? Math.min(32, 0.36 * this.scene().proj.sx) : 0);
    const { offsetWidth, offsetHeight } = tip;
    const left = x + offset + offsetWidth > this.width() ? x - offset - offsetWidth : x + offset;
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${clamp(y + 12, 2, Math.max(2, this.height() - offsetHeight))}px`;
  }

  // A column's value; of numbers with their distribution, in which this one is marked.
  strip(column, i) {
    const line = make("div", { className: "strip" }, `${column.name}: ${valueText(column, i)}`);
    if (!column.numbers) return line;
    const [bins, high] = [24, 14];
    const bin = (v) => Math.round(clamp((v - column.low) / (column.high - column.low || 1), 0, 1) * (bins - 1));
    if (!column.histogram) {
      column.histogram = new Float32Array(bins);
      column.numbers.forEach((v) => Number.isNaN(v) || (column.histogram[bin(v)] += 1));
    }
    const canvas = make("canvas", { width: 2 * bins, height: high });
    const painter = new CanvasPainter(canvas.getContext("2d"));
    const most = Math.max(...column.histogram);
    const here = Number.isNaN(column.numbers[i]) ? -1 : bin(column.numbers[i]);
    column.histogram.forEach((count, k) => {
      const tall = k === here ? high : (high * count) / most;
      painter.rect(2 * k, high - tall, 2, tall, k === here ? ACCENT : "#aab2bb");
    });
    line.append(canvas);
    return line;
  }

  thumbnail(i) {
    const [height, width] = this.model.get("image_shape");
    const data = new ImageData(width, height);
    for (let k = 0; k < height * width; k++) {
      data.data.fill(this.pixels[i * height * width + k], 4 * k, 4 * k + 3);
      data.data[4 * k + 3] = 255;
    }
    const small = make("canvas", { width, height, className: "image" });
    small.getContext("2d").putImageData(data, 0, 0);
    return make("div", {}, small);
  }

  // -------------------------------------------------------------- what hands do
  select(indices, tellOthers = true) {
    const sorted = Array.from(indices).sort((a, b) => a - b);
    this.model.set("selected", sorted);
    this.model.save_changes();
    this.later();
    if (tellOthers) this.tellGroup({ selected: sorted });
  }

  toggle(i) {
    const chosen = new Set(this.model.get("selected"));
    if (!chosen.delete(i)) chosen.add(i);
    this.select(chosen);
  }

  // A new selection, or what the list or a key says: added to the old one, or taken from it.
  choose(indices, how = null) {
    const old = new Set(this.model.get("selected"));
    how ??= this.how.value;
    if (how === "new") this.select(indices);
    else if (how === "add") this.select(old.union(new Set(indices)));
    else this.select(old.difference(new Set(indices)));
  }

  // What a drag does: "box", "lasso", or null for moving the picture.
  use(mode) {
    this.mode = mode;
    this.canvas.classList.toggle("using", mode !== null);
    for (const [name, button] of Object.entries(this.modes)) button.setAttribute("aria-pressed", String(name === mode));
  }

  // The corners of what the pointer draws.
  trace(corners) {
    this.drawn = corners;
    this.laterOver();
  }

  // What the legend lists and the samples are counted by: of values, whose colours are a scale, the classes.
  grouping() {
    return this.colouring.numbers ? this.colourings[0] : this.colouring;
  }

  hide(group) {
    const { hidden } = this.grouping();
    if (!hidden.delete(group)) hidden.add(group);
    this.showGroups();
  }

  // This group alone; all, if it is alone already.
  isolate(group) {
    const { hidden, names } = this.grouping();
    const alone = !hidden.has(group) && hidden.size === names.length - 1;
    hidden.clear();
    if (!alone) names.forEach((_, other) => other !== group && hidden.add(other));
    this.showGroups();
  }

  showGroups() {
    const hiding = this.colourings.filter(({ hidden }) => hidden.size);
    this.shown = Uint8Array.from(this.labels, (_, i) =>
      hiding.some(({ hidden, codes }) => hidden.has(codes[i])) ? 0 : 1,
    );
    if (this.cursor >= 0 && !this.shown[this.cursor]) this.point(-1);
    this.legend.sync();
    this.later();
  }

  // The colouring that a frame names, or the first one again.
  colourFrom(before) {
    const [old, own] = [before, this.settings.number].map((number) => this.model.get("overlays")[number]?.color_by);
    if (old === own) return;
    const number = this.columns.findIndex(({ name }) => name === own) + 1;
    this.colourBy(own ? number : this.begun);
  }

  colourBy(number) {
    this.colouring = this.colourings[number];
    this.legend.build();
    this.showGroups();
  }

  // Zoom about a pixel, by default about the middle: what is there stays there. Returns whether there was room to.
  zoom(factor, [x, y] = []) {
    const { proj } = this.scene();
    const zoom = clamp(this.view.zoom * factor, this.bars ? 1 : 0.5, 200);
    const changed = zoom !== this.view.zoom;
    const fraction = 1 - this.view.zoom / zoom;
    if (x !== undefined) {
      this.view.x += fraction * (proj.dataX(x) - (proj.left + proj.right) / 2);
      this.view.y += fraction * (proj.dataY(y) - (proj.low + proj.high) / 2);
    }
    this.view.zoom = zoom;
    this.later();
    return changed;
  }

  // The picture moved by pixels from where it was.
  moveView(from, dx, dy) {
    const { proj } = this.scene();
    this.view = { ...from, x: from.x - dx / proj.sx, y: from.y + dy / proj.sy };
    this.later();
  }

  fit() {
    this.view = { x: 0, y: 0, zoom: 1 };
    this.later();
  }

  reset() {
    this.colourings.forEach(({ hidden }) => hidden.clear());
    this.colourBy(this.begun);
    this.use(null);
    this.search.clear();
    this.select([]);
    this.point(-1);
    this.fit();
    if (this.settings.connected() || this.settings.frameOf(this.first) !== undefined) this.settings.take(this.first);
  }

  // -------------------------------------------------------------- explorers of the same samples
  tellGroup(what) {
    const group = this.model.get("group");
    if (group) document.dispatchEvent(new CustomEvent(GROUP, { detail: { group, from: this, ...what } }));
  }

  hear({ group, from, selected, cursor }) {
    if (from === this || group !== this.model.get("group")) return;
    if (selected) this.select(selected, false);
    if (cursor !== undefined) this.point(this.shown[cursor] ? cursor : -1, false);
  }
}

// The heading of an explorer is one level below the heading before it.
function setLevel(root) {
  const own = root.querySelector("h4");
  const before = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter(
    (other) => !other.closest(".tkx") && other.compareDocumentPosition(own) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  if (before.length) own.setAttribute("aria-level", Math.min(6, Number(before.at(-1).tagName[1]) + 1));
}

// Called by anywidget in a notebook, by `offline.js` in a page on disk; returns what ends it.
function render({ model, el }) {
  const explorer = new Explorer(model, el);
  const onChange = () => explorer.later();
  const names = [
    "frames",
    "overlays",
    "selected",
    "limits",
    "grid",
    "error",
    ...model.get("axes").map(({ name }) => `value_${name}`),
  ];
  const changes = [...names.map((name) => `change:${name}`), "comm_live_update"];
  changes.forEach((name) => model.on(name, onChange));
  const hear = ({ detail }) => explorer.hear(detail);
  document.addEventListener(GROUP, hear);
  const observer = new ResizeObserver(onChange);
  observer.observe(explorer.canvas);
  const themes = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("print")];
  themes.forEach((theme) => theme.addEventListener("change", onChange));
  const theme = new MutationObserver(onChange);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  const print = (printing) => () => {
    explorer.printing = printing;
    explorer.draw();
  };
  const [before, after] = [print(true), print(false)];
  window.addEventListener("resize", onChange);
  window.addEventListener("beforeprint", before);
  window.addEventListener("afterprint", after);
  explorer.later();
  explorer.settings.findModel().then(onChange, () => {}); // without one, as in a page on disk
  requestAnimationFrame(() => {
    setLevel(explorer.root);
    onChange(); // where it stands decides, too
    // JupyterLab takes the arrow keys for its own shortcuts, unless the focused element itself forbids it.
    explorer.root.addEventListener("focusin", (e) => e.target.setAttribute("data-lm-suppress-shortcuts", "true"));
  });
  return () => {
    observer.disconnect();
    theme.disconnect();
    themes.forEach((each) => each.removeEventListener("change", onChange));
    document.removeEventListener(GROUP, hear);
    window.removeEventListener("resize", onChange);
    window.removeEventListener("beforeprint", before);
    window.removeEventListener("afterprint", after);
    changes.forEach((name) => model.off(name, onChange));
  };
}

export default { render };
