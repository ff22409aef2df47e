// The explorer's picture: points or bars that a slider moves. One module for the notebook and for the report on disk.
// State comes as plain arrays from `toolkit.explore`; nothing is loaded from anywhere.

const SHAPES = {
  s: [[-.88, -.88], [.88, -.88], [.88, .88], [-.88, .88]],
  "^": [[0, -1.15], [1.05, .8], [-1.05, .8]],
  v: [[0, 1.15], [1.05, -.8], [-1.05, -.8]],
  D: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  P: [[-.4, -1.1], [.4, -1.1], [.4, -.4], [1.1, -.4], [1.1, .4], [.4, .4], [.4, 1.1], [-.4, 1.1], [-.4, .4], [-1.1, .4], [-1.1, -.4], [-.4, -.4]],
};
SHAPES.X = SHAPES.P.map(([x, y]) => [(x - y) * .75, (x + y) * .75]);
SHAPES["*"] = Array.from({ length: 10 }, (_, i) => {
  const r = i % 2 ? .55 : 1.35, a = Math.PI * (i / 5 - .5);
  return [r * Math.cos(a), r * Math.sin(a)];
});

const CSS = `
.tkx { font: 13px system-ui, sans-serif; color: #222; background: #fff; max-width: 880px; padding: 4px; }
.tkx h4 { margin: 2px 0 6px; font-size: 14px; }
.tkx .row { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; margin: 4px 0; }
.tkx .stage { position: relative; }
.tkx canvas { display: block; width: 100%; border: 1px solid #ccc; border-radius: 3px; touch-action: none; }
.tkx button { font: inherit; font-size: 12px; border: 1px solid #bbb; background: #f7f7f7; color: #222; border-radius: 3px; padding: 2px 7px; cursor: pointer; }
.tkx button[aria-pressed=false] { opacity: .4; text-decoration: line-through; }
.tkx :focus-visible { outline: 2px solid #0072B2; outline-offset: 1px; }
.tkx .tip { position: absolute; pointer-events: none; background: #fffffff2; border: 1px solid #888; border-radius: 3px; padding: 3px 6px; font-size: 12px; max-width: 300px; white-space: pre-line; z-index: 5; }
.tkx .tip canvas { width: 64px; border: 0; margin-top: 3px; image-rendering: pixelated; }
.tkx .help, .tkx .caption { color: #555; font-size: 12px; margin: 3px 0; }
.tkx .status { font-variant-numeric: tabular-nums; min-height: 1.3em; }
.tkx label { display: inline-flex; gap: 6px; align-items: center; }
.tkx input[type=range] { width: 220px; }
.tkx textarea { width: 100%; font: 12px monospace; }`;

const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const short = (v) => typeof v === "number" ? String(Number(v.toPrecision(4))) : String(v);
const floats = (view) => new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
// Of n bars come the upper ends alone, or lower and upper end in turn; the points are the middles of their tops.
const barsOf = (sent, n, k = sent.length / n) => ({
  points: Float32Array.from({ length: 2 * n }, (_, i) => i % 2 ? sent[k * (i >> 1) + k - 1] : (i >> 1) + 1),
  lower: k === 2 ? sent.filter((_, i) => i % 2 === 0) : null,
});

// The bytes of a picture as text, for an address that holds it whole.
const base64 = (view) => btoa(Array.from(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), (b) => String.fromCharCode(b)).join(""));

// ---------------------------------------------------------------- two painters with the same strokes
class CanvasPainter {
  constructor(context) { this.c = context; }
  mark(shape, x, y, r, fill, stroke, alpha = 1, width = 1) {
    const c = this.c, corners = SHAPES[shape];
    c.globalAlpha = alpha;
    c.beginPath();
    if (corners) { corners.forEach(([a, b], i) => c[i ? "lineTo" : "moveTo"](x + a * r, y + b * r)); c.closePath(); }
    else c.arc(x, y, r, 0, 7);
    if (fill) { c.fillStyle = fill; c.fill(); }
    if (stroke) { c.strokeStyle = stroke; c.lineWidth = width; c.stroke(); }
    c.globalAlpha = 1;
  }
  rect(x, y, w, h, fill, stroke, width) {
    if (fill) { this.c.fillStyle = fill; this.c.fillRect(x, y, w, h); }
    if (stroke) Object.assign(this.c, { strokeStyle: stroke, lineWidth: width }).strokeRect(x, y, w, h);
  }
  line(x0, y0, x1, y1, stroke, width, dash = []) {
    const c = this.c;
    c.setLineDash(dash); c.strokeStyle = stroke; c.lineWidth = width;
    c.beginPath(); c.moveTo(x0, y0); c.lineTo(x1, y1); c.stroke(); c.setLineDash([]);
  }
  image({ bitmap }, x, y, w, h, [left, top, wide, high]) {
    const c = this.c;
    c.save();
    c.beginPath(); c.rect(left, top, wide, high); c.clip();
    c.imageSmoothingEnabled = false; // would mix the colours of classes
    c.drawImage(bitmap, x, y, w, h);
    c.restore();
  }
  text(string, x, y, size, anchor = "start", halo = false, turn = 0) {
    const c = this.c;
    c.save(); c.translate(x, y); c.rotate(turn * Math.PI / 180);
    c.font = `${size}px system-ui, sans-serif`; c.textAlign = anchor === "middle" ? "center" : anchor; c.textBaseline = "middle";
    if (halo) { c.strokeStyle = "#ffffffd0"; c.lineWidth = 4; c.lineJoin = "round"; c.strokeText(string, 0, 0); }
    c.fillStyle = "#222"; c.fillText(string, 0, 0); c.restore();
  }
}
class SvgPainter {
  constructor() { this.parts = []; }
  mark(shape, x, y, r, fill, stroke, alpha = 1, width = 1) {
    const look = `fill="${fill || "none"}" stroke="${stroke || "none"}" stroke-width="${width}" opacity="${alpha}"`;
    const n = (v) => v.toFixed(2);
    this.parts.push(SHAPES[shape]
      ? `<polygon points="${SHAPES[shape].map(([a, b]) => `${n(x + a * r)},${n(y + b * r)}`).join(" ")}" ${look}/>`
      : `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" ${look}/>`);
  }
  rect(x, y, w, h, fill, stroke, width = 0) {
    const [a, b, c, d] = [x, y, w, h].map((v) => v.toFixed(2));
    this.parts.push(`<rect x="${a}" y="${b}" width="${c}" height="${d}" fill="${fill || "none"}" stroke="${stroke || "none"}" stroke-width="${width}"/>`);
  }
  line(x0, y0, x1, y1, stroke, width, dash = []) {
    const [a, b, c, d] = [x0, y0, x1, y1].map((v) => v.toFixed(2));
    this.parts.push(`<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" stroke="${stroke}" stroke-width="${width}" stroke-dasharray="${dash.join(" ")}"/>`);
  }
  image({ view }, x, y, w, h, [left, top, wide, high]) {
    // An inner svg clips what it holds, without an id that could occur twice in a page.
    const [a, b, c, d] = [x - left, y - top, w, h].map((v) => v.toFixed(2));
    this.parts.push(`<svg x="${left}" y="${top}" width="${wide}" height="${high}" overflow="hidden"><image x="${a}" y="${b}" width="${c}" height="${d}" preserveAspectRatio="none" style="image-rendering: pixelated" href="data:image/png;base64,${base64(view)}"/></svg>`);
  }
  text(string, x, y, size, anchor = "start", halo = false, turn = 0) {
    const safe = string.replace(/[&<>"]/g, (s) => `&#${s.charCodeAt(0)};`);
    this.parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-family="sans-serif" font-size="${size}" fill="#222" text-anchor="${anchor}" dominant-baseline="middle"${halo ? ' stroke="#fff" stroke-width="3" paint-order="stroke"' : ""}${turn ? ` transform="rotate(${turn} ${x.toFixed(1)} ${y.toFixed(1)})"` : ""}>${safe}</text>`);
  }
  document(w, h) { return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"><rect width="100%" height="100%" fill="#fff"/>${this.parts.join("\n")}</svg>`; }
}

// ---------------------------------------------------------------- what is drawn
const MARGIN = { left: 46, right: 12, top: 10, bottom: 34 };

// Names under bars: level where the longest has room, else at a slant, else every 2nd, 5th, 10th ...
function barAxis(names, w, zoom) {
  if (!names.length) return { margin: MARGIN };
  const slot = (w - MARGIN.left - MARGIN.right) / names.length, most = names.reduce((k, name) => Math.max(k, name.length), 1);
  const room = 6.5 * most + 8, slant = slot < room && slot >= 14, tens = 10 ** Math.floor(Math.log10(Math.max(1, room / slot / zoom)));
  const step = slant ? 1 : [1, 2, 5, 10].map((m) => m * tens).find((k) => k * slot * zoom >= room), cut = slant ? Math.floor((MARGIN.left + slot / 2) / 4.7) : most;
  const under = names.map((name, i) => [i + 1, name.length > cut ? `${name.slice(0, cut - 1)}…` : name]).filter(([at]) => (at - (names[0] !== "1")) % step === 0);
  return { slant, under, margin: { ...MARGIN, top: 28, bottom: slant ? 32 + 4.7 * Math.min(cut, most) : MARGIN.bottom } };
}

function projection(limits, view, w, h, equal, m, bars) {
  const [x0, x1, y0, y1] = limits, iw = w - m.left - m.right, ih = h - m.top - m.bottom;
  let sx = iw / (x1 - x0), sy = ih / (y1 - y0);
  if (equal) sx = sy = Math.min(sx, sy);
  sx *= view.zoom;
  const most = bars ? (x1 - x0) / 2 * (1 - 1 / view.zoom) : Infinity; // no bar can be lost from sight
  view.x = Math.max(-most, Math.min(most, view.x));
  if (!bars) sy *= view.zoom;
  const cx = (x0 + x1) / 2 + view.x, cy = (y0 + y1) / 2 + (bars ? 0 : view.y), ox = m.left + iw / 2, oy = m.top + ih / 2;
  return { x: (v) => ox + (v - cx) * sx, y: (v) => oy - (v - cy) * sy, sx, sy, left: cx - iw / 2 / sx, right: cx + iw / 2 / sx, low: cy - ih / 2 / sy, high: cy + ih / 2 / sy };
}

function ticks(low, high) {
  const raw = (high - low) / 5, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw), result = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) result.push(i * step);
  return result;
}

// The upper bound from 0 in black or the colour of the class, over it the lower bound in white.
function paintBars(p, { proj, points, lower, labels, styles, hidden, selected, cursor, margin }, bottom, right) {
  const slot = proj.sx, wide = slot < 8 ? slot : Math.min(64, .72 * slot), edge = Math.min(1.6, .14 * wide), classed = styles.length > 1;
  for (const t of ticks(0, proj.high)) p.line(margin.left, proj.y(t), right, proj.y(t), "#e8e8e8", 1);
  const span = (i) => [i + 1 - wide / slot / 2, i + 1 + wide / slot / 2].map((v) => Math.round(proj.x(v)));
  for (let i = 0; i < labels.length; i++) {
    const [x0, x1] = span(i), y = proj.y(points[2 * i + 1]), color = classed ? styles[labels[i]][0] : "#222";
    if (hidden.has(labels[i]) || x1 < margin.left || x0 > right) continue;
    if (i === cursor) p.rect(proj.x(i + .5), margin.top, slot, bottom - margin.top, "#fdeee2");
    p.rect(x0, y, x1 - x0, bottom - y, color);
    const top = Math.min(proj.y(lower?.[i] ?? 0), bottom - edge) + edge / 2;
    if (lower?.[i] > 0) p.rect(x0 + edge / 2, top, x1 - x0 - edge, bottom - top, "#fff", color, edge);
  }
  for (const i of selected) if (!hidden.has(labels[i])) p.mark("v", proj.x(i + 1), proj.y(points[2 * i + 1]) - 8, 5, "#000", "#fff");
  if (cursor >= 0) { const [x0, x1] = span(cursor), y = proj.y(points[2 * cursor + 1]); p.rect(x0 - 1, y - 1, x1 - x0 + 2, bottom - y + 1, null, "#D55E00", 2); }
}

function paint(p, scene, w, h) {
  const { proj, points, labels, styles, hidden, selected, overlay, anchorNames, axisNames, cursor, bars, margin } = scene;
  const bottom = h - margin.bottom, right = w - margin.right;
  if (scene.field) {
    const [x0, x1, y0, y1] = overlay.background.extent, left = proj.x(x0), top = proj.y(y1);
    p.image(scene.field, left, top, proj.x(x1) - left, proj.y(y0) - top, [margin.left, margin.top, right - margin.left, bottom - margin.top]);
  }
  if (bars) paintBars(p, scene, bottom, right);
  for (const [x0, y0, x1, y1] of overlay.segments) p.line(proj.x(x0), proj.y(y0), proj.x(x1), proj.y(y1), "#9a9a9a", 1);
  const inside = (x, y) => x > margin.left - 6 && x < right + 6 && y > margin.top - 6 && y < bottom + 6;
  if (!bars) for (let i = 0; i < labels.length; i++) {
    if (hidden.has(labels[i])) continue;
    const x = proj.x(points[2 * i]), y = proj.y(points[2 * i + 1]);
    // On colours, samples are opaque and edged: theirs may be the ones beneath.
    if (inside(x, y)) p.mark(styles[labels[i]][1], x, y, 3, styles[labels[i]][0], scene.field ? "#222" : null, scene.field ? 1 : .6, .6);
  }
  for (const i of overlay.rings ?? []) {
    const x = proj.x(points[2 * i]), y = proj.y(points[2 * i + 1]);
    if (hidden.has(labels[i]) || !inside(x, y)) continue;
    p.mark("o", x, y, 5.5, null, "#222", 1, 3.2);
    p.mark("o", x, y, 5.5, null, "#fff", 1, 1.8);
  }
  if (!bars) for (const i of selected) if (!hidden.has(labels[i])) p.mark("o", proj.x(points[2 * i]), proj.y(points[2 * i + 1]), overlay.rings?.includes(i) ? 7.5 : 6, null, "#000", 1, 1.6);
  if (cursor >= 0) for (const j of overlay.links?.[cursor] ?? []) {
    const [ax, ay] = overlay.anchors[j];
    p.line(proj.x(points[2 * cursor]), proj.y(points[2 * cursor + 1]), proj.x(ax), proj.y(ay), "#222", 1.4, [5, 3]);
  }
  overlay.anchors.forEach(([ax, ay], j) => {
    const [color, shape] = scene.anchorStyles[j] || ["#fff", "o"];
    p.mark(shape, proj.x(ax), proj.y(ay), 7.5, color, "#000", 1, 1.4);
  });
  overlay.anchors.forEach(([ax, ay], j) => p.text(anchorNames[j] || "", proj.x(ax) + 11, proj.y(ay), 12.5, "start", true));
  if (cursor >= 0 && !bars) p.mark("o", proj.x(points[2 * cursor]), proj.y(points[2 * cursor + 1]), 8, null, "#D55E00", 1, 2);
  // The margins last, so that lines that leave the frame end at it.
  for (const [x, y, wide, high] of [[0, 0, margin.left, h], [right, 0, margin.right, h], [0, 0, w, margin.top], [0, bottom, w, margin.bottom]]) p.rect(x, y, wide, high, "#fff");
  p.line(margin.left, bottom, right, bottom, "#444", 1);
  p.line(margin.left, margin.top, margin.left, bottom, "#444", 1);
  for (const [at, name] of scene.under ?? ticks(proj.left, proj.right).map((t) => [t, short(t)])) {
    const x = proj.x(at), slant = scene.slant;
    if (x < margin.left - .5 || x > right + .5) continue;
    p.line(x, bottom, x, bottom + 4, "#444", 1);
    p.text(name, slant ? x + 3 : x, bottom + (slant ? 9 : 12), 11, slant ? "end" : "middle", false, slant ? -42 : 0);
  }
  for (const t of ticks(bars ? 0 : proj.low, proj.high)) { p.line(margin.left - 4, proj.y(t), margin.left, proj.y(t), "#444", 1); p.text(short(t), margin.left - 7, proj.y(t), 11, "end"); }
  p.text(axisNames[0], (margin.left + right) / 2, h - 8, 12, "middle");
  p.text(axisNames[1], 4, 8, 12);
  if (scene.lower) [["upper bound", styles.length > 1 ? "#777" : "#222"], ["lower bound", "#fff"]].forEach(([name, fill], k) => {
    p.rect(right - 192 + 104 * k, 4, 9, 9, fill, "#222", 1); p.text(name, right - 178 + 104 * k, 9, 12);
  });
}

// ---------------------------------------------------------------- the page around it
function download(name, type, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link); link.click(); link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function offlineControls(model, row) {
  const axes = model.get("axes"), grid = model.get("grid");
  const current = [...grid[model.get("frame")]];
  const choose = () => {
    let best = 0, least = Infinity;
    grid.forEach((setting, f) => {
      const distance = setting.reduce((sum, v, a) => sum + (axes[a].kind === "number" ? Math.abs(v - current[a]) : 1000 * (v !== current[a])), 0);
      if (distance < least) { least = distance; best = f; }
    });
    model.set("frame", best); model.save_changes();
  };
  axes.forEach((axis, a) => {
    const shown = make("output", { textContent: short(axis.values[current[a]]) });
    let input;
    if (axis.kind === "number") input = make("input", { type: "range", min: 0, max: axis.values.length - 1, step: 1, value: current[a] });
    else if (axis.kind === "bool") input = make("input", { type: "checkbox", checked: axis.values[current[a]] });
    else { input = make("select"); axis.values.forEach((v, i) => input.append(make("option", { value: i, textContent: v }))); input.value = current[a]; }
    input.setAttribute("aria-label", axis.label);
    input.addEventListener("input", () => {
      current[a] = axis.kind === "bool" ? axis.values.indexOf(input.checked) : Number(input.value);
      shown.textContent = short(axis.values[current[a]]); input.setAttribute("aria-valuetext", shown.textContent); choose();
    });
    row.append(make("label", {}, axis.label, input, axis.kind === "number" ? shown : ""));
  });
}

function render({ model, el }) {
  const barNames = model.get("bar_names") ?? [], bars = barNames.length > 0;
  const root = make("div", { className: "tkx" }), canvas = make("canvas", { tabIndex: 0 });
  const controls = make("div", { className: "row" }), legend = make("div", { className: "row", role: "group", ariaLabel: "classes" });
  const tools = make("div", { className: "row" }), stage = make("div", { className: "stage" }, canvas);
  const status = make("div", { className: "status", role: "status" }), tip = make("div", { className: "tip", hidden: true });
  stage.append(tip);
  root.append(make("style", { textContent: CSS }), make("h4", { textContent: model.get("title") }), controls, legend, stage, status, tools,
    make("p", { className: "caption", textContent: model.get("caption") }),
    make("p", { className: "help", textContent: `${bars ? "Left and right walk the features" : "Arrows walk the samples"}, Enter selects, Escape clears, + - 0 zoom; drag moves, shift-drag selects.` }));
  el.append(root);
  if (model.get("offline")) offlineControls(model, controls);

  const labels = model.get("labels"), names = bars && model.get("label_names").length < 2 ? [] : model.get("label_names"), hover = model.get("hover"), n = labels.length;
  const images = model.get("images"), [ih, iw] = model.get("image_shape");
  const pixels = images && images.byteLength ? new Uint8Array(images.buffer, images.byteOffset, images.byteLength) : null;
  const cache = new Map(), hidden = new Set(), view = { x: 0, y: 0, zoom: 1 };
  let cursor = -1, pending = false, box = null, drag = null;
  const width = () => Math.max(280, canvas.clientWidth || 640), height = () => Math.round(Math.min(560, width() * .68));
  const frame = () => {
    const f = model.get("frame"), view = model.get("frames")[f];
    if (cache.get(f)?.view !== view) cache.set(f, { view, ...(bars ? barsOf(floats(view), n) : { points: floats(view) }) });
    return cache.get(f);
  };
  const fields = new WeakMap(); // the PNG of a background -> the same, and its bitmap as soon as the browser has decoded it
  const field = () => {
    const background = model.get("overlays")[model.get("frame")].background;
    if (!background) return null;
    const view = model.get(`backgrounds_${background.at[0]}`)[background.at[1]];
    if (!fields.has(view)) {
      fields.set(view, { view });
      createImageBitmap(new Blob([view], { type: "image/png" })).then((bitmap) => { fields.get(view).bitmap = bitmap; later(); });
    }
    return fields.get(view);
  };
  const setting = () => Object.fromEntries(model.get("axes").map((a, i) => [a.name, a.values[model.get("grid")[model.get("frame")][i]]]));
  const scene = (axis = barAxis(barNames, width(), view.zoom)) => ({
    proj: projection(model.get("limits")[model.get("frame")], view, width(), height(), model.get("equal_aspect"), axis.margin, bars), ...frame(), ...axis, bars, field: field(), labels, styles: model.get("styles"),
    hidden, selected: model.get("selected"), overlay: model.get("overlays")[model.get("frame")], anchorNames: model.get("anchor_names"),
    anchorStyles: model.get("anchor_styles"), axisNames: model.get("axis_names"), cursor,
  });
  const draw = () => {
    pending = false;
    const shown = scene();
    if (shown.field && !shown.field.bitmap) { delete canvas.dataset.painted; return; } // the last frame stays until this one is decoded
    const w = width(), h = height(), ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio); canvas.height = Math.round(h * ratio); canvas.style.height = `${h}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = "#fff"; context.fillRect(0, 0, w, h);
    paint(new CanvasPainter(context), shown, w, h);
    if (box) { context.strokeStyle = "#0072B2"; context.setLineDash([4, 3]); context.strokeRect(box[0], box[1], box[2] - box[0], box[3] - box[1]); context.setLineDash([]); }
    const error = model.get("error"), text = error ? `Error: ${error}` : model.get("overlays")[model.get("frame")].status;
    if (status.textContent !== text) status.textContent = text;
    status.style.color = error ? "#b00" : "";
    canvas.setAttribute("aria-label", `${model.get("title")}: ${n} ${bars ? "features" : "samples"}. ${text}`);
    canvas.dataset.frame = model.get("frame"); canvas.dataset.painted = performance.now();
  };
  const later = () => { if (!pending) { pending = true; requestAnimationFrame(draw); } };
  canvas.setAttribute("role", "img");

  const place = (i) => { const s = scene(); return [s.proj.x(s.points[2 * i]), s.proj.y(s.points[2 * i + 1])]; };
  const nearest = (x, y, reach = 12, allowed = () => true) => {
    const { proj, points, margin } = scene();
    const column = x < margin.left ? -1 : Math.round(proj.left + (x - margin.left) / proj.sx) - 1;
    if (bars) return column in labels && !hidden.has(labels[column]) ? column : -1;
    let best = -1, least = reach * reach;
    for (let i = 0; i < n; i++) {
      if (hidden.has(labels[i])) continue;
      const dx = proj.x(points[2 * i]) - x, dy = proj.y(points[2 * i + 1]) - y, d = dx * dx + dy * dy;
      if (d < least && allowed(dx, dy, i)) { least = d; best = i; }
    }
    return best;
  };
  const ends = (i) => { const { points, lower } = frame(); return lower ? [lower[i], points[2 * i + 1]] : [points[2 * i + 1]]; };
  const point = (i) => {
    cursor = i; tip.hidden = i < 0;
    if (i >= 0) {
      const [x, y] = place(i), text = scene().overlay.hover?.[i] ?? hover[i], value = bars ? `\n${ends(i).map((v) => Number(v.toPrecision(3))).join(" to ")}` : "";
      tip.replaceChildren(`${bars ? barNames[i] : `#${i}`}  ${names[labels[i]] ?? ""}${text ? "\n" + text : ""}${value}`);
      if (pixels) tip.append(thumbnail(i));
      tip.style.left = `${Math.min(x + 14 + (bars ? Math.min(32, .36 * scene().proj.sx) : 0), width() - 150)}px`; tip.style.top = `${Math.max(2, Math.min(y + 12, height() - (pixels ? 110 : 40)))}px`;
    }
    later();
  };
  const thumbnail = (i) => {
    const small = make("canvas", { width: iw, height: ih }), data = new ImageData(iw, ih);
    for (let k = 0; k < ih * iw; k++) { data.data.fill(pixels[i * ih * iw + k], 4 * k, 4 * k + 3); data.data[4 * k + 3] = 255; }
    small.getContext("2d").putImageData(data, 0, 0);
    return make("div", {}, small);
  };
  const select = (indices) => { model.set("selected", [...indices].sort((a, b) => a - b)); model.save_changes(); later(); };
  const toggle = (i) => { const chosen = new Set(model.get("selected")); chosen.has(i) ? chosen.delete(i) : chosen.add(i); select(chosen); };
  const zoom = (factor) => { view.zoom = Math.min(60, Math.max(bars ? 1 : .5, view.zoom * factor)); later(); };
  const reset = () => { Object.assign(view, { x: 0, y: 0, zoom: 1 }); hidden.clear(); legend.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", "true")); select([]); point(-1); };

  canvas.addEventListener("pointermove", (e) => {
    if (drag) {
      const { proj } = scene();
      if (drag.select) box = [drag.x, drag.y, e.offsetX, e.offsetY];
      else { view.x = drag.vx - (e.offsetX - drag.x) / proj.sx; view.y = drag.vy + (e.offsetY - drag.y) / proj.sy; }
      drag.moved = Math.hypot(e.offsetX - drag.x, e.offsetY - drag.y) > 3 || drag.moved; later();
    } else point(nearest(e.offsetX, e.offsetY));
  });
  canvas.addEventListener("pointerdown", (e) => { drag = { x: e.offsetX, y: e.offsetY, vx: view.x, vy: view.y, select: e.shiftKey }; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointerup", (e) => {
    if (drag && !drag.moved) { const i = nearest(e.offsetX, e.offsetY); if (i >= 0) toggle(i); }
    else if (box) {
      const [a, b] = [Math.min(box[0], box[2]), Math.max(box[0], box[2])], [c, d] = [Math.min(box[1], box[3]), Math.max(box[1], box[3])];
      select(labels.map((_, i) => i).filter((i) => { const [x, y] = place(i); return !hidden.has(labels[i]) && x >= a && x <= b && (bars || y >= c && y <= d); }));
    }
    drag = box = null; later();
  });
  canvas.addEventListener("pointerleave", () => { if (!drag) point(-1); });
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom(e.deltaY < 0 ? 1.15 : 1 / 1.15); }, { passive: false });
  canvas.addEventListener("keydown", (e) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (way && bars) {
      if (!way[0]) return;
      let next = cursor < 0 ? (way[0] > 0 ? 0 : n - 1) : cursor + way[0];
      while (hidden.has(labels[next])) next += way[0];
      const { proj, margin } = scene(), x = proj.x(next + 1);
      if (next in labels) { if (x < margin.left || x > width() - margin.right) view.x = next - (n - 1) / 2; point(next); }
    } else if (way) {
      const [x, y] = cursor < 0 ? [width() / 2, height() / 2] : place(cursor);
      const [wx, wy] = way;
      const next = cursor < 0 ? nearest(x, y, 1e6) : nearest(x, y, 1e6, (dx, dy, i) => i !== cursor && dx * wx + dy * wy > Math.abs(dx * wy) + Math.abs(dy * wx) - 1e-9 && dx * wx + dy * wy > 0);
      if (next >= 0) point(next);
    } else if (e.key === "Enter" && cursor >= 0) toggle(cursor);
    else if (e.key === "Escape") { select([]); point(-1); }
    else if (e.key === "+" || e.key === "=") zoom(1.25);
    else if (e.key === "-") zoom(.8);
    else if (e.key === "0") { Object.assign(view, { x: 0, y: 0, zoom: 1 }); later(); }
    else return;
    e.preventDefault(); e.stopPropagation();
  });

  names.forEach((name, c) => {
    const [color, shape] = model.get("styles")[c], icon = make("span"), p = new SvgPainter();
    p.mark(bars ? "s" : shape, 7, 7, 4.5, color, null);
    icon.innerHTML = p.document(14, 14).replace(/<rect[^>]*>/, "");
    const button = make("button", { type: "button" }, icon, ` ${name}`);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => { hidden.has(c) ? hidden.delete(c) : hidden.add(c); button.setAttribute("aria-pressed", String(!hidden.has(c))); later(); });
    legend.append(button);
  });
  const tool = (name, action) => { const button = make("button", { type: "button", textContent: name }); button.addEventListener("click", action); tools.append(button); return button; };
  tool("Reset", reset);
  tool("SVG", () => { const p = new SvgPainter(); paint(p, scene(), width(), height()); download(bars ? "bars.svg" : "map.svg", "image/svg+xml", p.document(width(), height())); });
  tool("CSV", () => {
    const { points } = frame(), quote = (s) => `"${String(s).replaceAll('"', '""')}"`, chosen = new Set(model.get("selected"));
    const place = (i) => bars ? [quote(barNames[i]), ...[0, ...ends(i)].slice(-2).map((v) => Number(v.toPrecision(7)))] : [i, points[2 * i], points[2 * i + 1]];
    const rows = labels.map((c, i) => [...place(i), quote(names[c] ?? ""), Number(chosen.has(i))].join(","));
    download(bars ? "bars.csv" : "map.csv", "text/csv", [`${bars ? "feature,lower,upper" : "sample,axis_1,axis_2"},label,selected`, ...rows].join("\n") + "\n");
  });
  if (model.get("code")) tool("Copy code", async () => {
    const literal = (v) => typeof v === "boolean" ? (v ? "True" : "False") : typeof v === "string" ? JSON.stringify(v) : String(v);
    const text = Object.entries(setting()).reduce((t, [k, v]) => t.replaceAll(`{${k}}`, literal(v)), model.get("code"));
    root.dataset.code = text;
    try { await navigator.clipboard.writeText(text); status.textContent = "Code copied."; }
    catch { const area = make("textarea", { value: text, rows: 3 }); tools.after(area); area.select(); }
  });

  const changed = ["change:frame", "change:frames", "change:overlays", "change:selected", "change:limits", "change:error"];
  const onChange = () => { if (cursor >= 0) point(cursor); later(); };
  changed.forEach((name) => model.on(name, onChange));
  const observer = new ResizeObserver(later);
  observer.observe(canvas);
  later();
  // JupyterLab takes the arrow keys for its own shortcuts, unless the focused element itself forbids it.
  requestAnimationFrame(() => (el.closest(".widget-vbox") ?? root).addEventListener("focusin",
    (e) => e.target.setAttribute("data-lm-suppress-shortcuts", "true")));
  return () => { observer.disconnect(); changed.forEach((name) => model.off(name, onChange)); };
}

export default { render };
