"use strict";

// Text for numbers, tables, and canvases at the resolution of the screen. This file is independent of what is shown.

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const byId = id => document.getElementById(id);

function digits(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function time(us) {
  if (us >= 1e6) return digits(us / 1e6) + " s";
  if (us >= 1e3) return digits(us / 1e3) + " ms";
  return us >= 1 ? digits(us) + " µs" : us > 0 ? (1000 * us).toFixed(0) + " ns" : "0";
}

function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let at = 0;
  while (bytes >= 1024 && at + 1 < units.length) { bytes /= 1024; at++; }
  return (at === 0 ? bytes : digits(bytes)) + " " + units[at];
}

const count = number => Math.round(number).toLocaleString("en");
const percent = part => (100 * part >= 10 || part === 0 ? (100 * part).toFixed(0) : (100 * part).toFixed(1)) + " %";

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

// A table of `columns` ({title, value, show, text, bar}), sorted by a click on a heading; `pick` receives the row that is clicked.
function table(id, columns, rows, sortedBy, pick) {
  const place = byId(id);
  let by = sortedBy, downwards = true;
  const most = columns.map(column => column.bar ? Math.max(1e-9, ...rows.map(column.value)) : 0);
  const draw = () => {
    place.replaceChildren();
    const head = place.createTHead().insertRow();
    columns.forEach((column, at) => {
      const title = element("th", column.title, column.text ? "text" : "");
      if (at === by) title.setAttribute("aria-sort", downwards ? "descending" : "ascending");
      title.onclick = () => { downwards = at === by ? !downwards : !column.text; by = at; draw(); };
      head.append(title);
    });
    const value = columns[by].value;
    const sorted = [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (downwards ? -1 : 1);
    });
    const body = place.createTBody();
    for (const row of sorted) {
      const line = body.insertRow();
      columns.forEach((column, at) => {
        const cell = element("td", (column.show || String)(column.value(row), row), column.text ? "text" : "");
        if (column.bar) {
          const bar = element("i");
          bar.style.width = 100 * column.value(row) / most[at] + "%";
          bar.style.background = column.bar(row);
          cell.classList.add("bar");
          cell.append(bar);
        }
        line.append(cell);
      });
      if (pick) { line.className = "picks"; line.onclick = () => pick(row); }
    }
  };
  draw();
}

function legend(id, names, colours) {
  byId(id).replaceChildren(...names.map((name, at) => {
    const entry = element("span");
    const colour = element("i");
    colour.style.background = style(colours[at]);
    entry.append(colour, name);
    return entry;
  }));
}

// The drawing context of a canvas, in pixels of the page, and its size.
function pen(id) {
  const canvas = byId(id), ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = Number(canvas.dataset.height);
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  return { canvas, context, width, height };
}

// The frame of a chart with an axis of `show`n values from 0 to `most`; returns the area inside.
function frame({ context, width, height }, most, show, left = 64) {
  const area = { left, top: 8, width: width - left - 6, height: height - 34 };
  context.strokeStyle = style("--line");
  context.fillStyle = style("--soft");
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let step = 0; step <= 4; step++) {
    const y = area.top + area.height * (1 - step / 4);
    context.beginPath();
    context.moveTo(area.left, y + 0.5);
    context.lineTo(area.left + area.width, y + 0.5);
    context.stroke();
    context.fillText(show(most * step / 4), area.left - 8, y);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  return area;
}

// The smallest power of two that is at least the value.
const stride = least => 2 ** Math.max(0, Math.ceil(Math.log2(least)));

// Names below an area for `many` columns, as many as fit.
function below(context, area, many, name, room) {
  const every = stride(many * room / area.width);
  context.fillStyle = style("--soft");
  for (let at = 0; at < many; at += every) {
    context.fillText(name(at), area.left + area.width * (at + 0.5) / many, area.top + area.height + 8);
  }
}

// Stacked columns: `parts[i][column]`, in `colours[i]`; `limit` is the height of the axis.
function columns(id, parts, colours, limit, show, name, room, tell) {
  const drawn = pen(id), { canvas, context } = drawn;
  const area = frame(drawn, limit, show), many = parts[0] ? parts[0].length : 0;
  const step = area.width / Math.max(1, many), gap = step >= 6 ? Math.min(step * 0.2, 12) : 0;
  const broad = Math.min(step - gap, 72);
  for (let column = 0; column < many; column++) {
    let y = area.top + area.height;
    const x = area.left + column * step + (step - broad) / 2;
    parts.forEach((values, part) => {
      const high = area.height * values[column] / (limit || 1);
      if (high <= 0) return;
      context.fillStyle = colours[part];
      context.fillRect(x, y - high, Math.max(broad, 1), high);
      y -= high;
    });
  }
  below(context, area, many, name, room);
  canvas.onmousemove = event => {
    const column = Math.floor((event.offsetX - area.left) / step);
    tell(column >= 0 && column < many ? column : -1);
  };
  canvas.onmouseleave = () => tell(-1);
}
