"use strict";
{
  const begun = performance.now();
  if (typeof drawAll === "function") drawAll();
  const drawn = performance.now() - begun;
  const point = (id, x, y) => {
    const canvas = document.getElementById(id);
    const event = new MouseEvent("mousemove", { bubbles: true });
    Object.defineProperty(event, "offsetX", { value: x });
    Object.defineProperty(event, "offsetY", { value: y });
    canvas.dispatchEvent(event);
  };
  const text = id => document.getElementById(id).textContent;
  const rows = id => document.querySelectorAll(`#${id} tbody tr`).length;
  // The position of cell (from, to) on the canvas: the matrix begins at 46, 22, and fills the rest except 2 pixels.
  const canvas = document.getElementById("heat-chart"), ratio = canvas.width / canvas.clientWidth;
  const edge = Math.min(canvas.clientWidth - 46, canvas.clientHeight - 22) - 2;
  const side = JSON.parse(text("data")).heat.side;
  const place = at => (at + 0.5) * edge / side;
  const pixel = (from, to) =>
    [...canvas.getContext("2d").getImageData(Math.round(ratio * (46 + place(to))), Math.round(ratio * (22 + place(from))), 1, 1).data];
  // A cell that was not painted has the colour of the background below the matrix.
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--bare").trim();
  const bare = [1, 3, 5].map(at => parseInt(paper.slice(at, at + 2), 16));
  const painted = side > 64 ? [] : Array.from({ length: side }, (_, from) =>
    Array.from({ length: side }, (_, to) => pixel(from, to).slice(0, 3).some((value, i) => Math.abs(value - bare[i]) > 2)));
  // The width of the widest run of painted pixels in the row of PE 0: that of a cell, if no two cells side by side are painted.
  const row = canvas.getContext("2d").getImageData(Math.round(ratio * 46), Math.round(ratio * (22 + place(0))), Math.round(ratio * edge), 1).data;
  let run = 0, cell = 0;
  for (let at = 0; at < row.length; at += 4) {
    run = bare.some((value, i) => Math.abs(value - row[at + i]) > 2) ? run + 1 : 0;
    cell = Math.max(cell, run / ratio);
  }
  point("heat-chart", 46 + place(Math.min(1, side - 1)), 22 + place(0));
  const pointer = text("heat-pointer");
  const time = document.getElementById("time-chart"), pes = JSON.parse(text("data")).pes;
  point("time-chart", 64 + (time.clientWidth - 70) * 1.5 / pes, 40);
  document.querySelector("#routine-table tbody tr").click();
  // Canvases that are too low to read, or empty.
  const blank = [...document.querySelectorAll("canvas")].filter(canvas => {
    const { width, height } = canvas;
    return canvas.clientHeight < 100 || !canvas.getContext("2d").getImageData(0, 0, width, height).data.some(value => value > 0);
  }).map(canvas => canvas.id);
  const output = document.createElement("output");
  output.id = "seen";
  output.textContent = JSON.stringify({
    faults: window.faults, blank, painted, cell, pointer, time: text("time-pointer"), remarks: document.querySelectorAll("#remarks li").length,
    routines: rows("routine-table"), slowest: rows("slow-table"), heat: text("heat-block"), program: text("program"),
    dark: matchMedia("(prefers-color-scheme: dark)").matches, drawn_ms: Math.round(drawn),
  });
  document.body.append(output);
}
