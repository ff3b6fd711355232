// Offers by time and cost on logarithmic axes, with 90 % intervals.
import type { JSX } from "preact";
import { dollars, hours } from "./format";
import type { Offer, RecommendRequest } from "./offer_types";
import { useWidth } from "./parallel_lines";
import { offerName } from "./recommend";
import { logTicks } from "./statistics";

const height = 340;
const margin = { left: 62, right: 16, top: 10, bottom: 36 };
const maxDots = 120;

export function OfferChart({ offers, selected, select, request }: { offers: Offer[]; selected: number; select: (index: number) => void; request: RecommendRequest }): JSX.Element {
  const [place, width] = useWidth();
  const shown = offers.slice(0, maxDots);
  // The axes fit the intervals of the selected offer and of the front; others may be cut off.
  const reach = (pick: (offer: Offer) => { value: number; low90: number; high90: number }) => {
    const values = shown.map((offer) => pick(offer).value);
    const marked = shown.filter((offer, i) => i === selected || offer.on_front).flatMap((offer) => [pick(offer).low90, pick(offer).high90]);
    return [Math.min(...values, ...marked) * 0.9, Math.max(...values, ...marked) * 1.1] as const;
  };
  const [xLow, xHigh] = reach((offer) => offer.hours);
  const [yLow, yHigh] = reach((offer) => offer.dollars);
  const scale = (value: number, low: number, high: number) => Math.min(1.02, Math.max(-0.02, (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low))));
  const xOf = (value: number) => margin.left + (width - margin.left - margin.right) * scale(value, xLow, xHigh);
  const yOf = (value: number) => height - margin.bottom - (height - margin.top - margin.bottom) * scale(value, yLow, yHigh);
  const front = shown.filter((offer) => offer.on_front).sort((a, b) => a.hours.value - b.hours.value);
  return (
    <div ref={place} class="offer-chart">
      <svg width={width} height={height} role="group" aria-label="Time and cost of each offer">
        {logTicks(xLow, xHigh).map((t) => (
          <g key={t}><line class="rule" x1={xOf(t)} x2={xOf(t)} y1={margin.top} y2={height - margin.bottom} />
            <text x={xOf(t)} y={height - margin.bottom + 15} text-anchor="middle">{hours(t)}</text></g>
        ))}
        {logTicks(yLow, yHigh).map((t) => (
          <g key={t}><line class="rule" x1={margin.left} x2={width - margin.right} y1={yOf(t)} y2={yOf(t)} />
            <text x={margin.left - 6} y={yOf(t) + 4} text-anchor="end">{dollars(t)}</text></g>
        ))}
        <text x={width - margin.right} y={height - 4} text-anchor="end" class="title">time to the target</text>
        {request.deadline_hours && request.deadline_hours < xHigh && <line class="limit" x1={xOf(request.deadline_hours)} x2={xOf(request.deadline_hours)} y1={margin.top} y2={height - margin.bottom} />}
        {request.budget_usd && request.budget_usd < yHigh && <line class="limit" x1={margin.left} x2={width - margin.right} y1={yOf(request.budget_usd)} y2={yOf(request.budget_usd)} />}
        <polyline class="front" points={front.map((offer) => `${xOf(offer.hours.value)},${yOf(offer.dollars.value)}`).join(" ")} />
        {shown.map((offer, i) => {
          const strong = offer.on_front || i === selected;
          const x = xOf(offer.hours.value);
          const y = yOf(offer.dollars.value);
          const words = `${offerName(offer)}: ${hours(offer.hours.value)}, ${dollars(offer.dollars.value)}`;
          return (
            <g key={i} class={`offer${strong ? " strong" : ""}${i === selected ? " selected" : ""}`}>
              {strong && (
                <>
                  <line x1={xOf(offer.hours.low90)} x2={xOf(offer.hours.high90)} y1={y} y2={y} />
                  <line x1={x} x2={x} y1={yOf(offer.dollars.low90)} y2={yOf(offer.dollars.high90)} />
                </>
              )}
              <circle
                cx={x} cy={y} r={i === selected ? 6 : strong ? 5 : 3.5} {...(strong ? { role: "button", tabIndex: 0, "aria-label": words, "aria-pressed": i === selected } : {})}
                onClick={() => select(i)} onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), select(i))}
              ><title>{words}</title></circle>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
