// Predicts an offer with another batch, number of GPUs or price.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { post, type Problem } from "./api";
import { dollars, hours } from "./format";
import type { Instance, Offer, Recommendation, RecommendRequest } from "./offer_types";
import { navigate, useRoute, withParams } from "./route";

const batches = [8, 16, 32, 64, 128, 256, 512, 1024];

export function WhatIf({ offer, request, instances }: { offer: Offer; request: RecommendRequest; instances: Instance[] }): JSX.Element {
  const gpusOf = (gpus: number, nodes: number) => Math.max(1, gpus) * nodes;
  const hourly = offer.dollars.value / offer.hours.value / gpusOf(offer.gpus, offer.nodes);
  const url = useRoute();
  const number = (name: string, initial: number) => Number(url.searchParams.get(name) ?? initial) || initial;
  const set = (name: string, value: number) => navigate(withParams(url, { [name]: String(value) }), true);
  const requested = number("batch", offer.batch_per_gpu);
  const batch = batches.includes(requested) ? requested : offer.batch_per_gpu;
  const gpus = number("count", gpusOf(offer.gpus, offer.nodes));
  const price = number("price", 1);
  const [found, setFound] = useState<{ offer?: Offer; problem?: string }>({ offer });
  // The number of GPUs in one, two and four machines with this GPU.
  const counts = [...new Set(instances.filter((i) => i.gpu === offer.gpu && i.cloud === offer.cloud).flatMap((i) => [1, 2, 4].map((n) => gpusOf(i.gpus, n))))]
    .concat(gpusOf(offer.gpus, offer.nodes)).filter((n, i, all) => all.indexOf(n) === i).sort((a, b) => a - b);
  useEffect(() => {
    const timer = setTimeout(() => {
      const changed: RecommendRequest = { model: request.model, data: request.data, target: request.target, max_nodes: 4, batches: [batch], precisions: [offer.precision], clouds: [offer.cloud] };
      if (offer.gpu) changed.gpus = [offer.gpu];
      if (offer.spot) changed.spot = true;
      post<Recommendation>("/recommend", changed).then((recommendation) => {
        const matching = recommendation.offers.filter((o) => gpusOf(o.gpus, o.nodes) === gpus && o.gpu === offer.gpu)
          .sort((a, b) => a.nodes - b.nodes || a.dollars.value - b.dollars.value);
        setFound(matching[0] ? { offer: matching[0] } : { problem: `no ${offer.cloud} offer with ${gpus} × ${offer.gpu || "CPU"} and batch ${batch}; try a smaller batch` });
      }, (problem: Problem) => setFound({ problem: problem.message }));
    }, 150);
    return () => clearTimeout(timer);
  }, [batch, gpus]);
  const now = found.offer;
  const cost = now ? now.dollars.value * price : 0;
  const change = (value: number, before: number) => `${value >= before ? "+" : "−"}${Math.abs(100 * (value / before - 1)).toFixed(0)} %`;
  return (
    <div class="what-if">
      <label><span>batch per GPU</span>
        <input type="range" min={0} max={batches.length - 1} step={1} value={batches.indexOf(batch)} aria-valuetext={String(batch)} onInput={(e) => set("batch", batches[Number(e.currentTarget.value)]!)} />
        <output>{batch}</output></label>
      <label><span>GPUs</span>
        <input type="range" min={0} max={counts.length - 1} step={1} value={counts.indexOf(gpus)} aria-valuetext={String(gpus)} disabled={counts.length < 2} onInput={(e) => set("count", counts[Number(e.currentTarget.value)]!)} />
        <output>{gpus}</output></label>
      <label><span>price per GPU-hour</span>
        <input type="range" min={0.2} max={3} step={0.05} value={price} aria-valuetext={dollars(hourly * price)} onInput={(e) => set("price", Number(e.currentTarget.value))} />
        <output>{dollars(hourly * price)}</output></label>
      <p role="status">
        {now
          ? <><b>{hours(now.hours.value)}</b> <span class="soft">({hours(now.hours.low90)} – {hours(now.hours.high90)}, {change(now.hours.value, offer.hours.value)})</span>, <b>{dollars(cost)}</b> <span class="soft">({dollars(now.dollars.low90 * price)} – {dollars(now.dollars.high90 * price)}, {change(cost, offer.dollars.value)})</span></>
          : <span class="bad">{found.problem}</span>}
      </p>
    </div>
  );
}
