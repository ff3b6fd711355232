// Offers by hours and dollars, both logarithmic, each with its interval.
import type { JSX } from "preact";
import { dollars, hours } from "./format";
import type { Offer, Wish } from "./offer_types";
import { useWidth } from "./parallel_lines";
import { offerName } from "./recommend";
import { logTicks } from "./statistics";

const height = 340;
const margin = { left: 62, right: 16, top: 10, bottom: 36 };
const mostDots = 120;

export function OfferChart({ offers, chosen, choose, wish }: { offers: Offer[]; chosen: number; choose: (index: number) => void; wish: Wish }): JSX.Element {
  const [place, width] = useWidth();
  const shown = offers.slice(0, mostDots);
  // The chosen one's interval must fit; those of the far ends may be cut.
  const reach = (pick: (offer: Offer) => { value: number; low90: number; high90: number }) => {
    const values = shown.map((offer) => pick(offer).value);
    const marked = shown.filter((offer, i) => i === chosen || offer.on_front).flatMap((offer) => [pick(offer).low90, pick(offer).high90]);
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
      <svg width={width} height={height} role="group" aria-label="Hours and dollars of every offer">
        {logTicks(xLow, xHigh).map((t) => (
          <g key={t}><line class="rule" x1={xOf(t)} x2={xOf(t)} y1={margin.top} y2={height - margin.bottom} />
            <text x={xOf(t)} y={height - margin.bottom + 15} text-anchor="middle">{hours(t)}</text></g>
        ))}
        {logTicks(yLow, yHigh).map((t) => (
          <g key={t}><line class="rule" x1={margin.left} x2={width - margin.right} y1={yOf(t)} y2={yOf(t)} />
            <text x={margin.left - 6} y={yOf(t) + 4} text-anchor="end">{dollars(t)}</text></g>
        ))}
        <text x={width - margin.right} y={height - 4} text-anchor="end" class="title">time to the target</text>
        {wish.deadline_hours && wish.deadline_hours < xHigh && <line class="limit" x1={xOf(wish.deadline_hours)} x2={xOf(wish.deadline_hours)} y1={margin.top} y2={height - margin.bottom} />}
        {wish.budget_usd && wish.budget_usd < yHigh && <line class="limit" x1={margin.left} x2={width - margin.right} y1={yOf(wish.budget_usd)} y2={yOf(wish.budget_usd)} />}
        <polyline class="front" points={front.map((offer) => `${xOf(offer.hours.value)},${yOf(offer.dollars.value)}`).join(" ")} />
        {shown.map((offer, i) => {
          const strong = offer.on_front || i === chosen;
          const x = xOf(offer.hours.value);
          const y = yOf(offer.dollars.value);
          const words = `${offerName(offer)}: ${hours(offer.hours.value)}, ${dollars(offer.dollars.value)}`;
          return (
            <g key={i} class={`offer${strong ? " strong" : ""}${i === chosen ? " chosen" : ""}`}>
              {strong && (
                <>
                  <line x1={xOf(offer.hours.low90)} x2={xOf(offer.hours.high90)} y1={y} y2={y} />
                  <line x1={x} x2={x} y1={yOf(offer.dollars.low90)} y2={yOf(offer.dollars.high90)} />
                </>
              )}
              <circle
                cx={x} cy={y} r={i === chosen ? 6 : strong ? 5 : 3.5} {...(strong ? { role: "button", tabIndex: 0, "aria-label": words, "aria-pressed": i === chosen } : {})}
                onClick={() => choose(i)} onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose(i))}
              ><title>{words}</title></circle>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
