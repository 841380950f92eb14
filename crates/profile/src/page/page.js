// The sections of the page: each draws itself from the data of the page.

const data = JSON.parse(byId("data").textContent);
const COLOURS = ["--put", "--get", "--atomic", "--order", "--wait", "--collective", "--lock", "--heap", "--setup"];
const MOVES = [0, 1, 2, 5];
const sum = list => list.reduce((a, b) => a + b, 0);
const peTime = sum(data.open);

function drawHead() {
  byId("program").textContent = data.program;
  const hosts = new Set(data.hosts).size;
  const bytes = sum(data.transports.map(one => one.bytes)), ops = sum(data.transports.map(one => one.ops));
  byId("facts").textContent = [
    `${data.pes} PEs on ${hosts} ${hosts === 1 ? "host" : "hosts"}`, time(data.us),
    `${size(bytes)} in ${count(ops)} puts, gets and atomics`, `${count(sum(data.routines.map(one => one.calls)))} calls`,
  ].join(" · ");
  byId("remarks").replaceChildren(...data.remarks.map(one => element("li", one)));
  byId("remarks").hidden = data.remarks.length === 0;
}

function drawTime() {
  const used = COLOURS.map((_, at) => at).filter(at => sum(data.times[at]) > 0);
  legend("time-legend", used.map(at => data.classes[at]), used.map(at => COLOURS[at]));
  const shares = used.map(at => data.times[at].map((us, pe) => data.open[pe] > 0 ? us / data.open[pe] : 0));
  const tell = pe => {
    const parts = used.filter(at => pe >= 0 && data.times[at][pe] > 0).sort((a, b) => data.times[b][pe] - data.times[a][pe]);
    const inside = pe >= 0 ? sum(used.map(at => data.times[at][pe])) : 0;
    byId("time-pointer").textContent = pe < 0 ? "" : `PE ${pe} on ${data.hosts[pe]}: ` + [
      `computes ${time(Math.max(0, data.open[pe] - inside))}`,
      ...parts.map(at => `${data.classes[at]} ${time(data.times[at][pe])} (${percent(data.times[at][pe] / data.open[pe])})`),
    ].join(", ");
  };
  const colours = used.map(at => style(COLOURS[at]));
  columns("time-chart", shares, colours, 1, percent, String, 34, tell);
}

function drawRoutines() {
  const colour = one => style(COLOURS[one.class]);
  table("routine-table", [
    { title: "routine", value: one => one.name, text: true },
    { title: "calls", value: one => one.calls, show: count },
    { title: "time", value: one => one.us, show: time, bar: colour },
    { title: "share", value: one => one.us / (peTime || 1), show: percent },
    { title: "a call", value: one => one.us / one.calls, show: time },
    { title: "longest", value: one => one.max, show: time },
    { title: "most of a PE", value: one => one.most_us, show: (us, one) => `${time(us)} (PE ${one.most})` },
    { title: "bytes", value: one => one.bytes, show: bytes => bytes ? size(bytes) : "" },
  ], data.routines, 2, drawRoutine);
}

function drawRoutine(one) {
  if (one.by_pe.length === 0) return;
  byId("routine-by-pe").hidden = false;
  byId("routine-name").textContent = `${one.name} by PE`;
  const most = Math.max(...one.by_pe, 1e-3);
  columns("routine-chart", [one.by_pe], [style(COLOURS[one.class])], most, time, String, 34, pe => {
    byId("routine-pointer").textContent = pe < 0 ? "" : `PE ${pe}: ${time(one.by_pe[pe])}`;
  });
}

// The matrix: cells by place, drawn with one pixel each and then enlarged.
const heat = { ...data.heat, by: "bytes", at: new Map() };
for (let i = 0; i < heat.cells.length; i += 4) {
  const [from, to, bytes, ops] = heat.cells.slice(i, i + 4);
  heat.at.set(from * heat.side + to, { bytes, ops });
}

function ramp(part) {
  // From the background over blue and violet to yellow: brightness increases with the value on a dark page, and decreases on a light
  // page.
  const stops = matchMedia("(prefers-color-scheme: dark)").matches
    ? [[24, 30, 44], [42, 74, 140], [128, 72, 180], [226, 98, 98], [252, 222, 120]]
    : [[222, 235, 250], [116, 172, 228], [62, 96, 196], [106, 44, 146], [60, 8, 60]];
  const place = Math.min(0.9999, Math.max(0, part)) * (stops.length - 1), at = Math.floor(place), rest = place - at;
  return stops[at].map((value, i) => Math.round(value + (stops[at + 1][i] - value) * rest));
}

const names = at => {
  const first = at * heat.block, last = Math.min(data.pes, first + heat.block) - 1;
  return first === last ? `PE ${first}` : `PEs ${first} to ${last}`;
};

function drawHeat() {
  // No cell is larger than 40 pixels: a square of few PEs would only be a large one.
  const { side } = heat, whole = 40 * side;
  byId("heat-chart").dataset.height = Math.min(536, whole + 24);
  const drawn = pen("heat-chart"), { canvas, context } = drawn;
  const values = [...heat.at.values()].map(cell => cell[heat.by]).filter(value => value > 0);
  const most = Math.max(1, ...chunkedMax(values)), least = Math.min(most, ...chunkedMin(values));
  const part = value => most > least ? Math.log(value / least) / Math.log(most / least) : 1;
  const image = new OffscreenCanvas(side, side), dots = image.getContext("2d"), pixels = dots.createImageData(side, side);
  for (const [place, cell] of heat.at) {
    if (cell[heat.by] <= 0) continue;
    pixels.data.set([...ramp(0.08 + 0.92 * part(cell[heat.by])), 255], 4 * place);
  }
  dots.putImageData(pixels, 0, 0);
  const left = 46, top = 22, edge = Math.min(whole + 2, drawn.width - left, drawn.height - top) - 2;
  context.fillStyle = style("--bare");
  context.fillRect(left, top, edge, edge);
  context.imageSmoothingEnabled = false;
  context.drawImage(image, left, top, edge, edge);
  context.strokeStyle = style("--line");
  context.strokeRect(left - 0.5, top - 0.5, edge + 1, edge + 1);
  context.fillStyle = style("--soft");
  const every = stride(side * 30 / edge);
  for (let at = 0; at < side; at += every) {
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(at * heat.block, left + edge * (at + 0.5) / side, top - 4);
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(at * heat.block, left - 6, top + edge * (at + 0.5) / side);
  }
  canvas.onmousemove = event => {
    const to = Math.floor((event.offsetX - left) * side / edge), from = Math.floor((event.offsetY - top) * side / edge);
    byId("heat-pointer").textContent = from >= 0 && from < side && to >= 0 && to < side ? describe(from, to) : "";
  };
  canvas.onmouseleave = () => { byId("heat-pointer").textContent = ""; };
  byId("heat-block").textContent = heat.block > 1 ? `Each row and column is ${heat.block} PEs.` : "";
  const show = heat.by === "bytes" ? size : count;
  byId("heat-scale").replaceChildren(...(values.length === 0 ? [] : most > least ? [1, 0.75, 0.5, 0.25, 0] : [1]).map(at => {
    const line = element("div"), colour = element("i");
    colour.style.background = `rgb(${ramp(0.08 + 0.92 * at).join(",")})`;
    line.append(colour, show(Math.round(Math.exp(Math.log(least) + at * Math.log(most / least)))));
    return line;
  }));
}

function drawPairs() {
  const pairs = [...heat.at].map(([place, cell]) => ({ from: Math.floor(place / heat.side), to: place % heat.side, ...cell }));
  const most = pairs.sort((a, b) => b[heat.by] - a[heat.by]).slice(0, 16);
  table("pair-table", [
    { title: "source", value: one => one.from, show: names, text: true },
    { title: "target", value: one => one.to, show: names, text: true },
    { title: "bytes", value: one => one.bytes, show: size },
    { title: "operations", value: one => one.ops, show: count },
  ], most, heat.by === "bytes" ? 2 : 3);
}

// The number of arguments of a call is limited.
function chunkedMax(values) { return chunks(values).map(part => Math.max(...part)); }
function chunkedMin(values) { return chunks(values).map(part => Math.min(...part)); }
function chunks(values) {
  const parts = [];
  for (let at = 0; at < values.length; at += 8192) parts.push(values.slice(at, at + 8192));
  return parts;
}

function describe(from, to) {
  const cell = heat.at.get(from * heat.side + to);
  const said = cell ? `${size(cell.bytes)} in ${count(cell.ops)} operations, ${size(Math.round(cell.bytes / cell.ops))} each` : "nothing";
  return `${names(from)} → ${names(to)}: ${said}`;
}

byId("heat-choice").onclick = event => {
  if (!event.target.dataset.by) return;
  heat.by = event.target.dataset.by;
  for (const button of byId("heat-choice").children) button.setAttribute("aria-pressed", button === event.target);
  drawHeat();
  drawPairs();
};

function drawSizes() {
  const used = MOVES.filter(at => sum(data.sizes[at]) > 0);
  const all = data.sizes[0].map((_, bin) => sum(used.map(at => data.sizes[at][bin])));
  const last = Math.max(4, all.reduce((last, calls, bin) => calls > 0 ? bin : last, 0));
  const first = Math.min(last, all.findIndex(calls => calls > 0) < 0 ? 0 : all.findIndex(calls => calls > 0));
  const bins = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const name = bin => bin === 0 ? "0" : size(2 ** (bin - 1)).replace("iB", "").replace(" B", "").replace(/\.00?/, "");
  legend("size-legend", used.map(at => data.classes[at]), used.map(at => COLOURS[at]));
  const parts = used.map(at => bins.map(bin => data.sizes[at][bin]));
  const most = Math.max(1, ...all);
  columns("size-chart", parts, used.map(at => style(COLOURS[at])), most, count, at => name(bins[at]), 44, at => {
    const bin = bins[at];
    const range = bin === 0 ? "no bytes" : bin === 1 ? "1 byte" : `${size(2 ** (bin - 1))} to ${size(2 ** bin - 1)}`;
    byId("size-pointer").textContent = at < 0 ? "" :
      `${range}: ` + used.filter(one => data.sizes[one][bin] > 0).map(one => `${data.classes[one]} ${count(data.sizes[one][bin])}`).join(", ");
  });
}

function drawHeap() {
  const drawn = pen("heap-chart"), { canvas, context } = drawn;
  const most = Math.max(1, ...data.heap.map(point => Math.max(point[1], point[2])));
  const area = frame(drawn, most, bytes => size(Math.round(bytes)), 76);
  const x = us => area.left + area.width * us / (data.us || 1), y = bytes => area.top + area.height * (1 - bytes / most);
  const points = data.heap.length > 0 ? [...data.heap, [data.us, ...data.heap[data.heap.length - 1].slice(1)]] : [];
  [[2, "--setup"], [1, "--heap"]].forEach(([field, colour]) => {
    context.strokeStyle = style(colour);
    context.lineWidth = 2;
    context.beginPath();
    points.forEach((point, at) => {
      if (at > 0) context.lineTo(x(point[0]), y(points[at - 1][field]));
      context[at > 0 ? "lineTo" : "moveTo"](x(point[0]), y(point[field]));
    });
    context.stroke();
  });
  below(context, area, 5, at => time(data.us * (at + 0.5) / 5), 60);
  canvas.onmousemove = event => {
    const us = data.us * (event.offsetX - area.left) / area.width;
    const point = data.heap.filter(one => one[0] <= us).pop();
    byId("heap-pointer").textContent = point ? `after ${time(us)}: ${size(point[1])} in blocks, reaching to ${size(point[2])}` : "";
  };
  canvas.onmouseleave = () => { byId("heap-pointer").textContent = ""; };
}

function drawTransports() {
  table("transport-table", [
    { title: "transport", value: one => one.name, text: true },
    { title: "operations", value: one => one.ops, show: count },
    { title: "bytes", value: one => one.bytes, show: size, bar: () => style("--put") },
    { title: "pairs of PEs", value: one => one.pairs, show: count },
  ], data.transports, 2);
}

function drawCollectives() {
  const { seen, stride, slowest, late } = data.collectives;
  byId("collective-facts").textContent = `Of ${count(seen)} collectives that all members took part in` +
    (stride > 1 ? ` (one of ${stride} of each team was kept)` : "") + ". Late is the time from the first member's coming to the last's.";
  table("late-table", [
    { title: "PE", value: one => one.pe },
    { title: "times", value: one => one.times, show: count },
    { title: "others waited", value: one => one.waited, show: time, bar: () => style("--wait") },
  ], late, 2);
  const members = one => one.members === data.pes ? "all PEs" : `${one.members} PEs from ${one.first}`;
  table("slow-table", [
    { title: "routine", value: one => one.routine, text: true },
    { title: "members", value: one => one.members, show: (_, one) => members(one), text: true },
    { title: "after", value: one => one.at, show: time },
    { title: "took", value: one => one.us, show: time, bar: () => style("--collective") },
    { title: "last", value: one => one.last, show: pe => `PE ${pe}` },
    { title: "late", value: one => one.late, show: time },
    { title: "bytes", value: one => one.bytes, show: bytes => bytes ? size(bytes) : "" },
    { title: "where", value: one => one.site, text: true },
  ], slowest, 3);
}

function drawAll() {
  [drawHead, drawTime, drawRoutines, drawHeat, drawPairs, drawSizes, drawHeap, drawTransports, drawCollectives].forEach(draw => draw());
}

drawAll();
addEventListener("resize", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
