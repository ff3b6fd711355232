// All runs: filter, sort, group, choose some to compare.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useApi } from "./api";
import { titleOf, useColumns, usualColumns } from "./columns";
import { conditionParams, parseFilter } from "./filter";
import { count, figure } from "./format";
import { go, useRoute, withParams } from "./route";
import { RunTable } from "./run_table";
import type { Column, Group } from "./types";
import { Command, Empty, ProblemNote, Scroll } from "./ui";

function FilterBox({ text, columns, change }: { text: string; columns: Column[]; change: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || target.matches("input, select, textarea")) return;
      event.preventDefault();
      box.current?.focus();
      box.current?.select();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  // The word under way, if it may become a column.
  const word = /(?:^|\s)([a-z_0-9]+)$/.exec(typed)?.[1];
  const offers = word
    ? columns.filter((c) => c.key.startsWith(word) && c.key !== word).slice(0, 6)
    : [];
  const take = (key: string) => {
    const next = typed.replace(/[a-z_0-9]+$/, key);
    setTyped(next);
    box.current?.focus();
  };
  return (
    <div class="filter">
      <input
        ref={box} type="search" value={typed} spellcheck={false} autocomplete="off"
        placeholder="filter: resnet  top1>0.8  outcome=ok"
        aria-label="Filter runs by words and conditions, like top1>0.8"
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          change(event.currentTarget.value);
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      {offers.length > 0 && (
        <ul class="offers" aria-label="Columns that begin so">
          {offers.map((column) => (
            <li key={column.key}>
              <button type="button" tabIndex={-1} onMouseDown={(e) => { e.preventDefault(); take(column.key); }}>
                <code>{column.key}</code> <span class="soft">{column.metric?.help ?? ""}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function ColumnChoice({ columns, shown, change }: { columns: Column[]; shown: string[]; change: (keys: string[]) => void }) {
  return (
    <details class="menu">
      <summary>Columns</summary>
      <fieldset class="choices">
        <legend class="sr">Columns that are shown</legend>
        {columns.map((column) => (
          <label key={column.key} title={column.metric?.help}>
            <input
              type="checkbox" checked={shown.includes(column.key)}
              onChange={(event) => change(event.currentTarget.checked
                ? columns.map((c) => c.key).filter((k) => k === column.key || shown.includes(k))
                : shown.filter((k) => k !== column.key))}
            />
            {titleOf(column)}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

// The runs by a column's values, each with the spread of a figure.
function Groups({ by, metric, params, columns, url }: { by: string; metric: string; params: string; columns: Column[]; url: URL }) {
  const asked = useApi<{ groups: Group[] }>(`/groups?by=${by}&metric=${metric}&${params}`);
  if (asked.problem) return <ProblemNote problem={asked.problem} again={asked.again} />;
  const groups = asked.data?.groups ?? [];
  const unit = columns.find((c) => c.key === metric)?.metric?.unit ?? "none";
  const top = Math.max(...groups.map((g) => g.high ?? 0), 1e-300);
  const at = (value: number) => `${(100 * value) / top}%`;
  return (
    <Scroll label="groups of runs">
      <table class="plain groups">
        <thead>
          <tr>
            <th scope="col">{by}</th>
            <th scope="col" class="number">runs</th>
            <th scope="col" class="number">median</th>
            <th scope="col">quartiles and range of {columns.find((c) => c.key === metric)?.metric?.title ?? metric}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.value}>
              <th scope="row">
                <a href={withParams(url, { group: null, q: `${url.searchParams.get("q") ?? ""} ${by}=${/\s/.test(group.value) ? `"${group.value}"` : group.value}`.trim() })}>
                  {group.value || "–"}
                </a>
              </th>
              <td class="number">{count(group.count)}</td>
              <td class="number">{figure(unit, group.median)}</td>
              <td>
                {group.measured > 0 && (
                  <span class="spread" role="img" aria-label={`from ${figure(unit, group.low)} to ${figure(unit, group.high)}, half of them from ${figure(unit, group.p25)} to ${figure(unit, group.p75)}`}>
                    <i style={{ left: at(group.low!), width: at(group.high! - group.low!) }} />
                    <b style={{ left: at(group.p25!), width: at(group.p75! - group.p25!) }} />
                    <u style={{ left: at(group.median!) }} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

export function RunsView(): JSX.Element {
  const url = useRoute();
  const columns = useColumns();
  const query = url.searchParams;
  const text = query.get("q") ?? "";
  const sort = query.get("sort") ?? "id";
  const order = query.get("order") === "ascending" ? "ascending" : "descending";
  const group = query.get("group");
  const metric = query.get("metric") ?? "wall_s";
  const shown = query.get("cols")?.split(",") ?? usualColumns;
  const chosen = (query.get("chosen") ?? "").split(",").filter(Boolean);
  const [total, setTotal] = useState<{ matching: number; problem?: string; params: string }>({ matching: -1, params: "" });

  const names = useMemo(() => new Set(columns?.map((c) => c.key)), [columns]);
  const params = useMemo(() => conditionParams(parseFilter(text, names)).toString(), [text, names]);
  const set = (changes: Record<string, string | null>, replace = true) => go(withParams(url, changes), replace);
  const cols = shown.join(",");
  const visible = useMemo(() => cols.split(",").map((key) => columns?.find((c) => c.key === key)).filter((c): c is Column => !!c), [columns, cols]);
  if (!columns) return <main class="wide" />;
  const filtered = params !== "";

  // What was counted last may belong to another filter.
  const none = total.matching === 0 && total.params === params;
  if (none && !filtered && !group) {
    return (
      <main>
        <h1 class="sr">Runs</h1>
        <Empty title="No runs yet">
          <p>Train something, or watch any program; it appears here while it runs.</p>
          <p><Command text="tacho train mnist-cnn --data fashion-mnist -b 64 -e 3" /></p>
          <p><Command text="tacho run -- python3 train.py" /></p>
          <p><a href="/new">Start a run from here</a></p>
        </Empty>
      </main>
    );
  }
  return (
    <main class="wide runs">
      <div class="bar">
        <h1 class="sr">Runs</h1>
        <FilterBox text={text} columns={columns} change={(q) => set({ q })} />
        <label class="pick">
          <span>group by</span>
          <select value={group ?? ""} onChange={(e) => set({ group: e.currentTarget.value || null }, false)}>
            <option value="">nothing</option>
            {columns.filter((c) => !c.metric && !["id", "key", "created_at"].includes(c.key)).map((c) => <option key={c.key} value={c.key}>{titleOf(c)}</option>)}
          </select>
        </label>
        {group && (
          <label class="pick">
            <span>figure</span>
            <select value={metric} onChange={(e) => set({ metric: e.currentTarget.value })}>
              {columns.filter((c) => c.metric).map((c) => <option key={c.key} value={c.key}>{titleOf(c)}</option>)}
            </select>
          </label>
        )}
        {!group && <ColumnChoice columns={columns} shown={shown} change={(keys) => set({ cols: keys.join(",") })} />}
        <details class="menu">
          <summary>Export</summary>
          <div class="choices">
            {[["runs", "csv"], ["epochs", "csv"], ["steps", "csv"], ["runs", "json"]].map(([table, format]) => (
              <a key={`${table}${format}`} download href={`/api/v1/export/${table}?format=${format}&${params}`}>
                {table === "runs" && format === "json" ? "whole records" : table} as {format!.toUpperCase()}
              </a>
            ))}
          </div>
        </details>
        <p class="tally" role="status">
          {total.problem ? <span class="bad">{total.problem}</span>
            : total.matching >= 0 && <>{count(total.matching)} {filtered ? "match" : total.matching === 1 ? "run" : "runs"}</>}
        </p>
        {chosen.length > 0 && (
          <p class="chosen">
            {chosen.length} chosen{" "}
            <a class="button" href={`/compare?${chosen.map((id) => `group=${id}`).join("&")}`}>Compare</a>{" "}
            <button type="button" class="quiet" onClick={() => set({ chosen: null })}>clear</button>
          </p>
        )}
      </div>
      {group
        ? <Groups by={group} metric={metric} params={params} columns={columns} url={url} />
        : (
          <RunTable
            columns={visible} params={params} sort={sort} order={order} chosen={chosen}
            onSort={(key) => set(key === sort
              ? { order: order === "descending" ? "ascending" : null, sort: key === "id" ? null : key }
              : { sort: key === "id" ? null : key, order: null })}
            onChoose={(ids) => set({ chosen: ids.join(",") || null })}
            onTotal={(counted) => setTotal({ ...counted, params })}
          />
        )}
      {none && filtered && !group && (
        <Empty title="No run matches">
          <p>Words are looked for in model, data, device, environment and outcome; conditions are like <code>top1&gt;0.8</code>.</p>
          <p><button type="button" onClick={() => set({ q: null })}>Show all runs</button></p>
        </Empty>
      )}
    </main>
  );
}
