// The report of a run: where the time went, what to change, and sortable tables.
import type { JSX } from "preact";
import { count, seconds, share } from "./format";
import { navigate, useRoute, withParams } from "./route";
import { csvOf, saveFile } from "./save";
import type { Advice, Report } from "./types";
import { Scroll } from "./ui";

export function StepBar({ step }: { step: NonNullable<Report["step"]> }): JSX.Element {
  return (
    <div class="step-picture">
      <p>
        A step takes <b>{seconds(step.seconds)}</b> (median of {count(step.count)} steps, quartiles {seconds(step.p25_s)} to{" "}
        {seconds(step.p75_s)}){step.samples_per_s ? <>, <b>{count(Math.round(step.samples_per_s))} samples/s</b></> : null}
        <span class="soft">, {step.source}</span>
      </p>
      <div class="parts" aria-hidden="true">
        {step.parts.map((part) => (
          <i key={part.key} class={`part-${part.key}`} style={{ width: `${part.share * 100}%` }} title={`${part.title}: ${seconds(part.seconds)}`} />
        ))}
      </div>
      <dl class="legend">
        {step.parts.map((part) => (
          <div key={part.key}>
            <dt><i class={`part-${part.key}`} />{part.title}</dt>
            <dd>{seconds(part.seconds)} <span class="soft">{share(part.share)}</span></dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export function AdviceList({ advice }: { advice: Advice[] }): JSX.Element {
  return (
    <ol class="advice">
      {advice.map((each) => (
        <li key={each.key}>
          <h3>{each.title}</h3>
          <p>{each.action}</p>
          {each.saving > 0 && (
            <p class="saving">
              saves about <b>{share(each.saving)}</b> of the time (range {share(each.saving_low)} to {share(each.saving_high)})
              <span class="gauge" aria-hidden="true">
                <u style={{ left: `${each.saving_low * 100}%`, width: `${(each.saving_high - each.saving_low) * 100}%` }} />
                <i style={{ left: `${each.saving * 100}%` }} />
              </span>
            </p>
          )}
          <p class="soft">{each.evidence}</p>
        </li>
      ))}
    </ol>
  );
}

export interface TableColumn<Row> {
  key: string;
  title: string;
  value: (row: Row) => number | string;
  text?: (row: Row) => string;
  wide?: boolean;
  link?: (row: Row) => string | undefined;
}

// A table that can be sorted by any column. A long one shows its first rows and a search field. The
// address holds this state under the table's label.
export function SortTable<Row>({ rows, columns, label, first = 12 }: { rows: Row[]; columns: TableColumn<Row>[]; label: string; first?: number }) {
  const url = useRoute();
  const slug = label.replace(/\W+/g, "-");
  const stored = url.searchParams.get(`sort.${slug}`);
  const sort = stored ? { key: stored.replace(/^-/, ""), down: stored.startsWith("-") } : null;
  const all = url.searchParams.get(`all.${slug}`) === "1";
  const text = url.searchParams.get(`find.${slug}`) ?? "";
  const set = (name: string, value: string | null) => navigate(withParams(url, { [`${name}.${slug}`]: value }), true);
  const setSort = (next: { key: string; down: boolean }) => set("sort", `${next.down ? "-" : ""}${next.key}`);
  const save = () => saveFile(`${slug}.csv`, "text/csv", csvOf([columns.map((c) => c.title), ...rows.map((row) => columns.map((c) => c.value(row)))]));
  const column = columns.find((c) => c.key === sort?.key);
  let shown = text
    ? rows.filter((row) => columns.some((c) => String(c.value(row)).toLowerCase().includes(text.toLowerCase())))
    : rows;
  if (column && sort) {
    shown = [...shown].sort((a, b) => {
      const x = column.value(a);
      const y = column.value(b);
      if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)); // without a value: last
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return sort.down ? -order : order;
    });
  }
  const isNumber = (c: TableColumn<Row>) => rows.length > 0 && typeof c.value(rows[0]!) === "number";
  const visible = all || text ? shown.slice(0, 1000) : shown.slice(0, first);
  return (
    <div class="sort-table">
      {rows.length > first && (
        <input type="search" value={text} placeholder={`search ${count(rows.length)} rows`} aria-label={`Search ${label}`} onInput={(e) => set("find", e.currentTarget.value || null)} />
      )}
      <Scroll label={label}>
        <table class="plain" aria-label={label}>
          <thead>
            <tr>
              {columns.map((c) => (
                <th key={c.key} scope="col" class={isNumber(c) ? "number" : ""} aria-sort={sort?.key === c.key ? (sort.down ? "descending" : "ascending") : "none"}>
                  <button type="button" onClick={() => setSort({ key: c.key, down: sort?.key === c.key ? !sort.down : isNumber(c) })}>
                    {c.title}<span class="arrow" aria-hidden="true">{sort?.key === c.key ? (sort.down ? "↓" : "↑") : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.map((row, i) => (
              <tr key={i}>
                {columns.map((c) => {
                  const words = c.text ? c.text(row) : String(c.value(row));
                  const link = c.link?.(row);
                  return <td key={c.key} class={isNumber(c) ? "number" : c.wide ? "name" : ""} title={c.wide ? words : undefined}>{link ? <a href={link}>{words}</a> : words}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.length === 0 && <p class="soft">{text ? "No row matches; clear the search to see all rows." : "No rows."}</p>}
      <p class="table-tools">
        {!all && !text && rows.length > first && <button type="button" class="quiet" onClick={() => set("all", "1")}>show all {count(rows.length)}</button>}
        {rows.length > 0 && <button type="button" class="quiet" aria-label={`Save ${label} as CSV`} onClick={save}>CSV</button>}
      </p>
    </div>
  );
}
