// A chart as a picture: SVG, or PNG in twice its size.
import type uPlot from "uplot";
import { colorOf, lineColor, pointSize, type ChartProps, type Layout } from "./chart_plot";
import { singlePoints, type Values } from "./curve";

interface Shape { path: string; stroke?: string; fill?: string; opacity?: number; dash?: string; width?: number; inside?: boolean }
interface Label { text: string; x: number; y: number; color: string; anchor: "start" | "middle" | "end"; bold?: boolean }
export interface Picture { width: number; height: number; paper: string; inside: [number, number, number, number]; shapes: Shape[]; labels: Label[] }

const head = 26;
const lineHeight = 18;
const family = "Liberation Sans, Arial, sans-serif";
const font = `11px ${family}`;

// A path through the points, broken at gaps.
export function pathOf(x: ArrayLike<number>, values: ArrayLike<number | null | undefined>, toX: (v: number) => number, toY: (v: number) => number): string {
  let path = "";
  let down = false;
  for (let i = 0; i < x.length; ++i) {
    const value = values[i];
    if (value === undefined) continue;
    if (value !== null) path += `${down ? "L" : "M"}${toX(x[i]!).toFixed(1)} ${toY(value).toFixed(1)}`;
    down = value !== null;
  }
  return path;
}

// A disc at each of these points.
export function discsOf(points: number[], x: ArrayLike<number>, values: ArrayLike<number | null | undefined>, toX: (v: number) => number, toY: (v: number) => number): string {
  const [r, d] = [pointSize / 2, pointSize];
  const disc = (i: number) => `M${(toX(x[i]!) - r).toFixed(1)} ${toY(values[i]!).toFixed(1)}a${r} ${r} 0 1 0 ${d} 0a${r} ${r} 0 1 0 ${-d} 0Z`;
  return points.filter((i) => values[i] != null).map(disc).join("");
}

// What is visible: the zoomed range, without hidden lines.
export function pictureOf(u: uPlot, props: ChartProps, layout: Layout, hidden: Set<string>): Picture {
  const left = u.bbox.left / devicePixelRatio;
  const top = head + u.bbox.top / devicePixelRatio;
  const [width, height] = [u.bbox.width / devicePixelRatio, u.bbox.height / devicePixelRatio];
  const toX = (v: number) => left + u.valToPos(v, "x");
  const toY = (v: number) => top + u.valToPos(v, "y");
  const picture: Picture = { width: u.width, height: head + u.height, paper: colorOf("--paper"), inside: [left, top, width, height], shapes: [], labels: [] };
  const [soft, ink, rule] = [colorOf("--soft"), colorOf("--ink"), colorOf("--rule")];
  picture.labels.push({ text: `${props.title} by ${props.xTitle}`, x: 8, y: 17, color: ink, anchor: "start", bold: true });
  const ticksOf = (i: number) => {
    const { _splits, _values } = u.axes[i] as unknown as { _splits: number[]; _values: (string | null)[] };
    return _splits.flatMap((at, k): [number, string][] => (_values[k] ? [[at, _values[k]!]] : []));
  };
  for (const [at, text] of ticksOf(0)) {
    picture.shapes.push({ path: `M${toX(at)} ${top}V${top + height}`, stroke: rule, inside: true });
    picture.labels.push({ text, x: toX(at), y: top + height + 15, color: soft, anchor: "middle" });
  }
  for (const [at, text] of ticksOf(1)) {
    picture.shapes.push({ path: `M${left} ${toY(at)}H${left + width}`, stroke: rule, inside: true });
    picture.labels.push({ text, x: left - 5, y: toY(at) + 4, color: soft, anchor: "end" });
  }
  if (props.limit) picture.shapes.push({ path: `M${left} ${toY(props.limit.value)}H${left + width}`, stroke: soft, dash: "4 3", inside: true });
  const x = u.data[0];
  const addLine = (i: number, points: boolean | undefined, how: { stroke: string; width?: number; opacity?: number; dash?: string }) => {
    const values = u.data[i] as Values;
    const discs = discsOf(points ? Array.from(x, (_, k) => k) : singlePoints(values), x, values, toX, toY);
    picture.shapes.push({ path: pathOf(x, values, toX, toY), inside: true, ...how });
    if (discs) picture.shapes.push({ path: discs, fill: how.stroke, inside: true, ...(how.opacity ? { opacity: how.opacity } : {}) });
  };
  let legendX = 8;
  let legendY = picture.height + 4;
  props.lines.forEach((each, i) => {
    if (hidden.has(each.label)) return;
    const places = layout.lines[i]!;
    const color = lineColor(each.color ?? i);
    const dash = each.dashed ? { dash: "5 4" } : {};
    if (places.low !== undefined && places.high !== undefined) {
      const order = Array.from(x, (_, k) => k).filter((k) => u.data[places.low!]![k] != null);
      const along = (k: number, series: number) => `${toX(x[k]!).toFixed(1)} ${toY(u.data[series]![k]!).toFixed(1)}`;
      const edge = [...order.map((k) => along(k, places.high!)), ...order.reverse().map((k) => along(k, places.low!))];
      if (edge.length > 0) picture.shapes.push({ path: `M${edge.join("L")}Z`, fill: color, opacity: 0.18, inside: true });
    }
    if (places.shown !== places.values) addLine(places.values, each.points, { stroke: color, opacity: 0.35, ...dash });
    addLine(places.shown, each.points, { stroke: color, width: 1.5, ...dash });
    const needed = 30 + each.label.length * 6;
    if (legendX > 8 && legendX + needed > picture.width) [legendX, legendY] = [8, legendY + lineHeight];
    picture.shapes.push({ path: `M${legendX} ${legendY + 5}h12`, stroke: color, width: 3, ...dash });
    picture.labels.push({ text: each.label, x: legendX + 17, y: legendY + 9, color: ink, anchor: "start" });
    legendX += needed;
  });
  picture.height = legendY + lineHeight;
  return picture;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");

export function svgOf({ width, height, paper, inside, shapes, labels }: Picture): string {
  const [x, y, w, h] = inside;
  const shape = (s: Shape) =>
    `<path d="${s.path}" fill="${s.fill ?? "none"}"${s.stroke ? ` stroke="${s.stroke}" stroke-width="${s.width ?? 1}"` : ""}` +
    `${s.opacity ? ` opacity="${s.opacity}"` : ""}${s.dash ? ` stroke-dasharray="${s.dash}"` : ""}${s.inside ? ' clip-path="url(#inside)"' : ""}/>`;
  const label = (l: Label) =>
    `<text x="${l.x}" y="${l.y}" fill="${l.color}" text-anchor="${l.anchor}"${l.bold ? ' font-weight="bold"' : ""}>${escaped(l.text)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${family}" font-size="11">\n` +
    `<clipPath id="inside"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath>\n` +
    `<rect width="${width}" height="${height}" fill="${paper}"/>\n${[...shapes.map(shape), ...labels.map(label)].join("\n")}\n</svg>\n`;
}

export function pngOf({ width, height, paper, inside, shapes, labels }: Picture): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * 2, height * 2];
  const context = canvas.getContext("2d")!;
  context.scale(2, 2);
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
  for (const shape of shapes) {
    context.save();
    if (shape.inside) {
      context.beginPath();
      context.rect(...inside);
      context.clip();
    }
    context.globalAlpha = shape.opacity ?? 1;
    context.lineWidth = shape.width ?? 1;
    context.setLineDash(shape.dash?.split(" ").map(Number) ?? []);
    const path = new Path2D(shape.path);
    if (shape.fill) context.fillStyle = shape.fill, context.fill(path);
    if (shape.stroke) context.strokeStyle = shape.stroke, context.stroke(path);
    context.restore();
  }
  for (const label of labels) {
    context.font = label.bold ? `bold ${font}` : font;
    context.fillStyle = label.color;
    context.textAlign = label.anchor === "middle" ? "center" : label.anchor;
    context.fillText(label.text, label.x, label.y);
  }
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
