// Recommends machines to rent: a form, ranked offers with intervals, and variations of an offer.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { useApi, usePost } from "./api";
import { dollars, formatValue, hours, share } from "./format";
import { OfferChart } from "./offer_chart";
import type { Instance, Offer, Recommendation, RecommendRequest } from "./offer_types";
import { navigate, useRoute, withParams } from "./route";
import { saveFile } from "./save";
import type { Catalog } from "./types";
import { Command, Empty, Loading, ProblemNote, Scroll, Section, TextField } from "./ui";
import { WhatIf } from "./what_if";

const fields: { key: string; label: string; initial: string; help: string }[] = [
  { key: "target", label: "target accuracy", initial: "0.75", help: "top-1, between 0 and 1" },
  { key: "deadline", label: "deadline, hours", initial: "", help: "no limit" },
  { key: "budget", label: "budget, dollars", initial: "", help: "no limit" },
  { key: "nodes", label: "maximum machines", initial: "1", help: "that train together" },
];

function splitWords(text: string | null): string[] {
  return (text ?? "").split(",").map((word) => word.trim()).filter(Boolean);
}

// The address holds the request, so a link repeats it.
export function requestOf(params: URLSearchParams): RecommendRequest {
  const number = (key: string) => (params.get(key) ? Number(params.get(key)) : undefined);
  const request: RecommendRequest = {
    model: params.get("model") ?? "resnet50",
    data: params.get("data") ?? "imagenet",
    target: number("target") ?? 0.75,
    max_nodes: number("nodes") ?? 1,
  };
  const deadline = number("deadline");
  const budget = number("budget");
  if (deadline !== undefined) request.deadline_hours = deadline;
  if (budget !== undefined) request.budget_usd = budget;
  if (params.get("spot") === "1") request.spot = true;
  for (const key of ["clouds", "gpus"] as const) {
    const words = splitWords(params.get(key));
    if (words.length) request[key] = words;
  }
  return request;
}

function RequestForm({ url, catalog, instances }: { url: URL; catalog: Catalog; instances: Instance[] }): JSX.Element {
  const value = (key: string, initial: string) => url.searchParams.get(key) ?? initial;
  const set = (key: string, text: string) => navigate(withParams(url, { [key]: text || null, offer: null, batch: null, count: null, price: null }), true);
  const clouds = [...new Set(instances.map((i) => i.cloud))].sort();
  const gpus = [...new Set(instances.map((i) => i.gpu).filter(Boolean))].sort();
  return (
    <form class="request-form" onSubmit={(event) => event.preventDefault()}>
      <label><span>model</span>
        <TextField list="models" value={value("model", "resnet50")} commit={(text) => set("model", text)} />
        <datalist id="models">{catalog.models.map((m) => <option key={m.name} value={m.name} />)}</datalist>
      </label>
      <label><span>data</span>
        <TextField list="datasets" value={value("data", "imagenet")} commit={(text) => set("data", text)} />
        <datalist id="datasets">{catalog.datasets.map((d) => <option key={d.name} value={d.name} />)}</datalist>
      </label>
      {fields.map((field) => (
        <label key={field.key} title={field.help}><span>{field.label}</span>
          <TextField inputMode="decimal" size={8} value={value(field.key, field.initial)} placeholder={field.help} commit={(text) => set(field.key, text)} />
        </label>
      ))}
      <label><span>cloud</span>
        <select value={value("clouds", "")} onChange={(e) => set("clouds", e.currentTarget.value)}>
          <option value="">any</option>
          {clouds.map((cloud) => <option key={cloud} value={cloud}>{cloud}</option>)}
        </select>
      </label>
      <label><span>GPU</span>
        <select value={value("gpus", "")} onChange={(e) => set("gpus", e.currentTarget.value)}>
          <option value="">any</option>
          {gpus.map((gpu) => <option key={gpu} value={gpu}>{gpu}</option>)}
        </select>
      </label>
      <label class="tick"><input type="checkbox" checked={value("spot", "") === "1"} onChange={(e) => set("spot", e.currentTarget.checked ? "1" : "")} /> <span>spot prices</span></label>
    </form>
  );
}

export function offerName(offer: Offer): string {
  return `${offer.nodes > 1 ? `${offer.nodes} × ` : ""}${offer.cloud} ${offer.instance}`;
}

function OfferDetails({ offer, first, recommendation }: { offer: Offer; first: boolean; recommendation: Recommendation }): JSX.Element {
  return (
    <div class="details">
      <dl class="facts flow">
        <div><dt>step</dt><dd>{formatValue("seconds", offer.step_s.value)} <span class="soft">({formatValue("seconds", offer.step_s.low90)} to {formatValue("seconds", offer.step_s.high90)})</span></dd></div>
        <div><dt>epochs</dt><dd>{offer.epochs.value.toPrecision(3)} <span class="soft">({offer.epochs.low90.toPrecision(3)} to {offer.epochs.high90.toPrecision(3)}); based on {recommendation.epochs_basis}</span></dd></div>
        <div><dt>batch</dt><dd>{offer.batch_per_gpu} per GPU, {offer.batch} in total, {offer.precision}</dd></div>
        <div><dt>GPU memory</dt><dd>{offer.memory_bytes === null ? "not predicted; published trainings used this batch" : `${formatValue("bytes", offer.memory_bytes)} peak`}</dd></div>
        <div><dt>input</dt><dd>{offer.workers} workers per GPU, {share(offer.input_share)} of a step spent waiting</dd></div>
        <div><dt>gradient exchange</dt><dd>{share(offer.comm_share)} of a step</dd></div>
        <div><dt>price</dt><dd>{dollars(offer.dollars.value / offer.hours.value)} per hour{offer.spot ? ", spot" : ""}, {offer.region}, as of {offer.price_date}</dd></div>
        {offer.probability < 1 && <div><dt>probability</dt><dd>{share(offer.probability)} that deadline and budget are met</dd></div>}
      </dl>
      {!first && <p>{offer.against_first}</p>}
      {offer.warnings.map((warning) => <p key={warning} class="note-line">{warning}</p>)}
      <p><Command text={offer.command} /></p>
    </div>
  );
}

export function RecommendView(): JSX.Element {
  const url = useRoute();
  const { data: catalog } = useApi<Catalog>("/catalog");
  const { data: market } = useApi<{ instances: Instance[] }>("/instances");
  const body = useMemo(() => JSON.stringify(requestOf(url.searchParams)), [url.search]);
  const { data: recommendation, problem, loading } = usePost<Recommendation>("/recommend", body);
  if (!catalog || !market) return <main><Loading text="Loading the catalog…" /></main>;
  const request = requestOf(url.searchParams);
  const trainable = catalog.models.some((m) => m.name === request.model) && catalog.datasets.some((d) => d.name === request.data);
  const at = Math.min(Number(url.searchParams.get("offer") ?? 0) || 0, (recommendation?.offers.length ?? 1) - 1);
  const select = (index: number) => navigate(withParams(url, { offer: index ? String(index) : null, batch: null, count: null, price: null }), true);
  const offer = recommendation?.offers[at];
  const saveCsv = () => {
    void fetch("/api/v1/recommend?format=csv", { method: "POST", headers: { "Content-Type": "application/json" }, body })
      .then((response) => response.blob()).then((blob) => saveFile("recommendation.csv", "text/csv", blob));
  };
  return (
    <main class="recommend">
      <h1>Recommend a machine</h1>
      <RequestForm url={url} catalog={catalog} instances={market.instances} />
      {loading && !recommendation && <Loading text="Predicting time and cost…" />}
      {problem && (problem.status === 0 || problem.status >= 500) && <ProblemNote problem={problem} />}
      {problem && problem.status >= 400 && problem.status < 500 && (
        <Empty title="No prediction possible">
          <p>{problem.message}</p>
          {trainable
            ? <><p>Change the request above, or train the model here, so that its speed and learning curve are known:</p><p><Command text={`tacho train ${request.model} --data ${request.data}`} /></p></>
            : <p>Change the request above. The fields model and data suggest the names that Tacho knows.</p>}
        </Empty>
      )}
      {recommendation && recommendation.offers.length === 0 && (
        <Empty title="No offer matches the request">
          <p>{recommendation.left_out[0]?.reason}</p>
          <p>Relax the deadline or the budget, or allow more machines, clouds or GPUs.</p>
        </Empty>
      )}
      {recommendation && offer && (
        <div class={loading ? "old" : ""}>
          <Section id="chart" title="Time and cost" aside={<span class="soft">bars: 90 % intervals; line: no other offer is both cheaper and faster</span>}>
            <OfferChart offers={recommendation.offers} selected={at} select={select} request={request} />
          </Section>
          <Section id="offers" title="Offers" aside={<button type="button" onClick={saveCsv}>CSV</button>}>
            <Scroll label="offers">
              <table class="plain offers-table">
                <thead>
                  <tr><th scope="col" class="number">rank</th><th scope="col">machine</th><th scope="col">GPUs</th><th scope="col" class="number">batch per GPU</th>
                    <th scope="col" class="number">time</th><th scope="col" class="number">90 % interval</th><th scope="col" class="number">cost</th><th scope="col" class="number">90 % interval</th><th scope="col">compared with the first</th></tr>
                </thead>
                <tbody>
                  {recommendation.offers.slice(0, 30).map((each, i) => (
                    <tr key={i} class={i === at ? "selected-row" : ""}>
                      <td class="number">{i + 1}{each.on_front ? " ★" : ""}</td>
                      <th scope="row"><button type="button" class="link" aria-pressed={i === at} onClick={() => select(i)}>{offerName(each)}</button></th>
                      <td>{each.gpus === 0 ? "none" : `${each.gpus * each.nodes} × ${each.gpu}`}</td>
                      <td class="number">{each.batch_per_gpu}</td>
                      <td class="number">{hours(each.hours.value)}</td>
                      <td class="number soft">{hours(each.hours.low90)} – {hours(each.hours.high90)}</td>
                      <td class="number">{dollars(each.dollars.value)}</td>
                      <td class="number soft">{dollars(each.dollars.low90)} – {dollars(each.dollars.high90)}</td>
                      <td>{i === 0 ? <span class="soft">first</span> : each.against_first}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
            <p class="soft">★: no other offer is both cheaper and faster.{recommendation.offers.length > 30 && ` 30 of ${recommendation.offers.length} offers are shown; the CSV has all.`}</p>
          </Section>
          <Section id="details" title={`Details: ${offerName(offer)}`}><OfferDetails offer={offer} first={at === 0} recommendation={recommendation} /></Section>
          <Section id="what-if" title="What if?"><WhatIf key={offerName(offer)} offer={offer} request={request} instances={market.instances} /></Section>
          {recommendation.left_out.length > 0 && (
            <details class="absent">
              <summary>Plans left out</summary>
              <ul>{[...recommendation.left_out].sort((a, b) => b.plans - a.plans).slice(0, 20).map((each) => <li key={each.reason}>{each.plans} plans: {each.reason}</li>)}</ul>
            </details>
          )}
        </div>
      )}
    </main>
  );
}
