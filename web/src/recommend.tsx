// What to rent: a wish, ranked offers with intervals, and what would change if one thing did.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { post, useApi, type Problem } from "./api";
import { dollars, figure, hours, share } from "./format";
import { OfferChart } from "./offer_chart";
import type { Instance, Offer, Recommendation, Wish } from "./offer_types";
import { go, useRoute, withParams } from "./route";
import { saveFile } from "./save";
import type { Catalog } from "./types";
import { Command, Empty, Scroll, Section, Waiting } from "./ui";
import { WhatIf } from "./what_if";

const fields: { key: string; label: string; usual: string; help: string }[] = [
  { key: "target", label: "target accuracy", usual: "0.75", help: "top-1, between 0 and 1" },
  { key: "deadline", label: "deadline, hours", usual: "", help: "none" },
  { key: "budget", label: "budget, dollars", usual: "", help: "none" },
  { key: "nodes", label: "machines at most", usual: "1", help: "that train together" },
];

function splitWords(text: string | null): string[] {
  return (text ?? "").split(",").map((word) => word.trim()).filter(Boolean);
}

// The address is the wish: a link asks the same again.
export function wishOf(params: URLSearchParams): Wish {
  const number = (key: string) => (params.get(key) ? Number(params.get(key)) : undefined);
  const wish: Wish = {
    model: params.get("model") ?? "resnet50",
    data: params.get("data") ?? "imagenet",
    target: number("target") ?? 0.75,
    max_nodes: number("nodes") ?? 1,
  };
  const deadline = number("deadline");
  const budget = number("budget");
  if (deadline !== undefined) wish.deadline_hours = deadline;
  if (budget !== undefined) wish.budget_usd = budget;
  if (params.get("spot") === "1") wish.spot = true;
  for (const key of ["clouds", "gpus"] as const) {
    const words = splitWords(params.get(key));
    if (words.length) wish[key] = words;
  }
  return wish;
}

function WishForm({ url, catalog, instances }: { url: URL; catalog: Catalog; instances: Instance[] }): JSX.Element {
  const value = (key: string, usual: string) => url.searchParams.get(key) ?? usual;
  const set = (key: string, text: string) => go(withParams(url, { [key]: text || null, offer: null, batch: null, count: null, price: null }), true);
  const clouds = [...new Set(instances.map((i) => i.cloud))].sort();
  const gpus = [...new Set(instances.map((i) => i.gpu).filter(Boolean))].sort();
  return (
    <form class="wish" onSubmit={(event) => event.preventDefault()}>
      <label><span>model</span>
        <input list="models" value={value("model", "resnet50")} onChange={(e) => set("model", e.currentTarget.value)} />
        <datalist id="models">{catalog.models.map((m) => <option key={m.name} value={m.name} />)}</datalist>
      </label>
      <label><span>data</span>
        <input list="datasets" value={value("data", "imagenet")} onChange={(e) => set("data", e.currentTarget.value)} />
        <datalist id="datasets">{catalog.datasets.map((d) => <option key={d.name} value={d.name} />)}</datalist>
      </label>
      {fields.map((field) => (
        <label key={field.key} title={field.help}><span>{field.label}</span>
          <input inputMode="decimal" size={8} value={value(field.key, field.usual)} placeholder={field.help} onChange={(e) => set(field.key, e.currentTarget.value)} />
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

function Why({ offer, first, made }: { offer: Offer; first: boolean; made: Recommendation }): JSX.Element {
  return (
    <div class="why">
      <dl class="facts flow">
        <div><dt>step</dt><dd>{figure("seconds", offer.step_s.value)} <span class="soft">({figure("seconds", offer.step_s.low90)} to {figure("seconds", offer.step_s.high90)})</span></dd></div>
        <div><dt>epochs</dt><dd>{offer.epochs.value.toPrecision(3)} <span class="soft">({offer.epochs.low90.toPrecision(3)} to {offer.epochs.high90.toPrecision(3)}), by {made.epochs_basis}</span></dd></div>
        <div><dt>batch</dt><dd>{offer.batch_per_gpu} a GPU, {offer.batch} in all, {offer.precision}</dd></div>
        <div><dt>GPU memory</dt><dd>{offer.memory_bytes === null ? "not foretold; published trainings had this batch" : `${figure("bytes", offer.memory_bytes)} at the peak`}</dd></div>
        <div><dt>input</dt><dd>{offer.workers} workers a GPU, {share(offer.input_share)} of a step waiting</dd></div>
        <div><dt>exchange</dt><dd>{share(offer.comm_share)} of a step</dd></div>
        <div><dt>price</dt><dd>{dollars(offer.dollars.value / offer.hours.value)} an hour{offer.spot ? ", spot" : ""}, {offer.region}, as of {offer.price_date}</dd></div>
        {offer.chance < 1 && <div><dt>chance</dt><dd>{share(offer.chance)} to keep deadline and budget</dd></div>}
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
  const [answer, setAnswer] = useState<{ made?: Recommendation; problem?: Problem; loading: boolean }>({ loading: true });
  const body = useMemo(() => JSON.stringify(wishOf(url.searchParams)), [url.search]);
  useEffect(() => {
    let gone = false;
    setAnswer((old) => ({ ...old, loading: true }));
    post<Recommendation>("/recommend", JSON.parse(body)).then(
      (made) => gone || setAnswer({ made, loading: false }),
      (problem: Problem) => gone || setAnswer({ problem, loading: false }));
    return () => { gone = true; };
  }, [body]);
  if (!catalog || !market) return <main><Waiting what="reading the catalogue" /></main>;
  const { made, problem, loading } = answer;
  const at = Math.min(Number(url.searchParams.get("offer") ?? 0) || 0, (made?.offers.length ?? 1) - 1);
  const choose = (index: number) => go(withParams(url, { offer: index ? String(index) : null, batch: null, count: null, price: null }), true);
  const offer = made?.offers[at];
  const keep = () => {
    void fetch("/api/v1/recommend?format=csv", { method: "POST", headers: { "Content-Type": "application/json" }, body })
      .then((response) => response.blob()).then((blob) => saveFile("recommendation.csv", "text/csv", blob));
  };
  return (
    <main class="recommend">
      <h1>What to rent</h1>
      <WishForm url={url} catalog={catalog} instances={market.instances} />
      {loading && !made && <Waiting what="asking the speed model and the learning curves" />}
      {problem && <Empty title="This cannot be told"><p>{problem.message}</p></Empty>}
      {made && made.offers.length === 0 && <Empty title="Nothing meets the wish"><p>{made.left_out[0]?.reason}</p></Empty>}
      {made && offer && (
        <div class={loading ? "old" : ""}>
          <Section id="chart" title="Time and cost" aside={<span class="soft">bars hold nine in ten; the line joins what nothing beats in both</span>}>
            <OfferChart offers={made.offers} chosen={at} choose={choose} wish={wishOf(url.searchParams)} />
          </Section>
          <Section id="offers" title="Offers" aside={<button type="button" onClick={keep}>CSV</button>}>
            <Scroll label="offers">
              <table class="plain offers-table">
                <thead>
                  <tr><th scope="col" class="number">rank</th><th scope="col">machine</th><th scope="col">GPUs</th><th scope="col" class="number">batch a GPU</th>
                    <th scope="col" class="number">hours</th><th scope="col" class="number">nine in ten</th><th scope="col" class="number">dollars</th><th scope="col" class="number">nine in ten</th><th scope="col">against the first</th></tr>
                </thead>
                <tbody>
                  {made.offers.slice(0, 30).map((each, i) => (
                    <tr key={i} class={i === at ? "chosen-row" : ""}>
                      <td class="number">{i + 1}{each.on_front ? " ★" : ""}</td>
                      <th scope="row"><button type="button" class="link" aria-pressed={i === at} onClick={() => choose(i)}>{offerName(each)}</button></th>
                      <td>{each.gpus === 0 ? "none" : `${each.gpus * each.nodes} × ${each.gpu}`}</td>
                      <td class="number">{each.batch_per_gpu}</td>
                      <td class="number">{hours(each.hours.value)}</td>
                      <td class="number soft">{hours(each.hours.low90)} – {hours(each.hours.high90)}</td>
                      <td class="number">{dollars(each.dollars.value)}</td>
                      <td class="number soft">{dollars(each.dollars.low90)} – {dollars(each.dollars.high90)}</td>
                      <td>{i === 0 ? <span class="soft">the first</span> : each.against_first}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scroll>
            {made.offers.length > 30 && <p class="soft">30 of {made.offers.length}; the CSV has all. ★: none is both cheaper and faster.</p>}
          </Section>
          <Section id="why" title={`Why ${offerName(offer)}`}><Why offer={offer} first={at === 0} made={made} /></Section>
          <Section id="what-if" title="What if"><WhatIf key={offerName(offer)} offer={offer} wish={wishOf(url.searchParams)} instances={market.instances} /></Section>
          {made.left_out.length > 0 && (
            <details class="absent">
              <summary>What was left out</summary>
              <ul>{[...made.left_out].sort((a, b) => b.plans - a.plans).slice(0, 20).map((each) => <li key={each.reason}>{each.plans} plans: {each.reason}</li>)}</ul>
            </details>
          )}
        </div>
      )}
    </main>
  );
}
