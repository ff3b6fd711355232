// All runs: filter, sort, group, and select runs to compare.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { post, useApi, type Problem } from "./api";
import { titleOf, useColumns, defaultColumns } from "./columns";
import { conditionParams, conditionText, parseFilter } from "./filter";
import { count, formatValue } from "./format";
import { navigate, useRoute, withParams } from "./route";
import { DeleteButton } from "./run_edit";
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
  // The word being typed, if it may be the start of a column name.
  const word = /(?:^|\s)([a-z_0-9]+)$/.exec(typed)?.[1];
  const suggestions = word
    ? columns.filter((c) => c.key.startsWith(word) && c.key !== word).slice(0, 6)
    : [];
  const accept = (key: string) => {
    const next = typed.replace(/[a-z_0-9]+$/, key);
    setTyped(next);
    box.current?.focus();
  };
  return (
    <div class="filter">
      <input
        ref={box} type="search" value={typed} spellcheck={false} autocomplete="off"
        placeholder="filter: resnet  top1>0.8  outcome=ok"
        aria-label="Filter runs by words and conditions such as top1>0.8"
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          change(event.currentTarget.value);
        }}
      />
      <kbd aria-hidden="true">/</kbd>
      {suggestions.length > 0 && (
        <ul class="offers" aria-label="Matching columns">
          {suggestions.map((column) => (
            <li key={column.key}>
              <button type="button" tabIndex={-1} onMouseDown={(e) => { e.preventDefault(); accept(column.key); }}>
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
        <legend class="sr">Visible columns</legend>
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

function NoRuns(): JSX.Element {
  return (
    <Empty title="No runs yet">
      <p>Train a model, or watch any program. A run appears here as soon as it starts.</p>
      <p><Command text="tacho train mnist-cnn --data fashion-mnist -b 64 -e 3" /></p>
      <p><Command text="tacho run -- python3 train.py" /></p>
      <p><a href="/new">Start a run in the dashboard</a>, or look at <a href="/?archived=show">archived runs</a></p>
    </Empty>
  );
}

function NoMatch({ clear }: { clear: () => void }): JSX.Element {
  return (
    <Empty title="No run matches">
      <p>The filter searches for words in model, data, device, environment and outcome, and takes conditions such as <code>top1&gt;0.8</code>.</p>
      <p><button type="button" onClick={clear}>Show all runs</button></p>
    </Empty>
  );
}

// Runs grouped by a column, with the spread of a metric.
function Groups({ by, metric, params, columns, url }: { by: string; metric: string; params: string; columns: Column[]; url: URL }) {
  const result = useApi<{ groups: Group[] }>(`/groups?by=${by}&metric=${metric}&${params}`);
  if (result.problem) return <ProblemNote problem={result.problem} reload={result.reload} />;
  if (result.data?.groups.length === 0) return params === "" ? <NoRuns /> : <NoMatch clear={() => navigate(withParams(url, { q: null }))} />;
  const groups = result.data?.groups ?? [];
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
                <a href={withParams(url, { group: null, q: `${url.searchParams.get("q") ?? ""} ${conditionText(by, "=", group.value)}`.trim() })}>
                  {group.value || "–"}
                </a>
              </th>
              <td class="number">{count(group.count)}</td>
              <td class="number">{formatValue(unit, group.median)}</td>
              <td>
                {group.measured > 0 && (
                  <span class="spread" role="img" aria-label={`range ${formatValue(unit, group.low)} to ${formatValue(unit, group.high)}, quartiles ${formatValue(unit, group.p25)} to ${formatValue(unit, group.p75)}`}>
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

// What can be done with the selected runs.
function Selection({ ids, readOnly, clear, changed }: { ids: string[]; readOnly: boolean; clear: () => void; changed: (left: string[]) => void }): JSX.Element {
  const [problem, setProblem] = useState<Problem>();
  const each = (action: string, body?: object) => {
    void Promise.allSettled(ids.map((id) => post(`/runs/${id}/${action}`, body))).then((results) => {
      const failed = results.find((result) => result.status === "rejected");
      setProblem(failed?.reason as Problem | undefined);
      changed(ids.filter((_, i) => results[i]!.status === "rejected"));
    });
  };
  return (
    <div class="selection">
      {ids.length} selected{" "}
      <a class="button" href={`/curves?runs=${ids.join(",")}`}>Curves</a>{" "}
      <a class="button" href={`/compare?${ids.map((id) => `group=${id}`).join("&")}`}>Compare</a>{" "}
      {!readOnly && <><button type="button" onClick={() => each("edit", { archived: true })}>Archive</button>{" "}<DeleteButton what={`${ids.length} ${ids.length === 1 ? "run" : "runs"}`} confirm={() => each("delete")} />{" "}</>}
      <button type="button" class="quiet" onClick={clear}>clear</button>
      {problem && <span class="bad" role="alert"> {problem.message}</span>}
    </div>
  );
}

export function RunsView({ readOnly }: { readOnly: boolean }): JSX.Element {
  const url = useRoute();
  const columns = useColumns();
  const query = url.searchParams;
  const text = query.get("q") ?? "";
  const sort = query.get("sort") ?? "id";
  const order = query.get("order") === "ascending" ? "ascending" : "descending";
  const group = query.get("group");
  const metric = query.get("metric") ?? "wall_s";
  const shown = query.get("cols")?.split(",") ?? defaultColumns;
  const selected = (query.get("chosen") ?? "").split(",").filter(Boolean);
  const [total, setTotal] = useState<{ matching: number; problem?: string; params: string }>({ matching: -1, params: "" });

  const names = useMemo(() => new Set(columns?.map((c) => c.key)), [columns]);
  const conditions = useMemo(() => conditionParams(parseFilter(text, names)).toString(), [text, names]);
  const archived = query.get("archived") === "show";
  const params = [conditions, archived ? "archived=show" : ""].filter(Boolean).join("&");
  const [changes, setChanges] = useState(0);
  const set = (changes: Record<string, string | null>, replace = true) => navigate(withParams(url, changes), replace);
  const cols = shown.join(",");
  const visible = useMemo(() => cols.split(",").map((key) => columns?.find((c) => c.key === key)).filter((c): c is Column => !!c), [columns, cols]);
  if (!columns) return <main class="wide" />;
  const filtered = conditions !== "";

  // The last count may belong to another filter.
  const none = total.matching === 0 && total.params === params;
  if (none && !filtered && !archived && !group) {
    return (
      <main>
        <h1 class="sr">Runs</h1>
        <NoRuns />
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
            <option value="">none</option>
            {columns.filter((c) => !c.metric && !["id", "key", "created_at"].includes(c.key)).map((c) => <option key={c.key} value={c.key}>{titleOf(c)}</option>)}
          </select>
        </label>
        {group && (
          <label class="pick">
            <span>metric</span>
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
                {table === "runs" && format === "json" ? "records" : table} as {format!.toUpperCase()}
              </a>
            ))}
          </div>
        </details>
        <label class="pick"><input type="checkbox" checked={archived} onChange={(e) => set({ archived: e.currentTarget.checked ? "show" : null })} /> show archived</label>
        <p class="tally" role="status">
          {total.problem ? <span class="bad">{total.problem}</span>
            : total.matching >= 0 && <>{count(total.matching)} {filtered ? "match" : total.matching === 1 ? "run" : "runs"}</>}
        </p>
        {selected.length > 0 && (
          <Selection
            ids={selected} readOnly={readOnly} clear={() => set({ chosen: null })}
            changed={(left) => { set({ chosen: left.join(",") || null }); setChanges(changes + 1); }}
          />
        )}
      </div>
      {group
        ? <Groups by={group} metric={metric} params={params} columns={columns} url={url} />
        : (
          <RunTable
            key={changes} columns={visible} params={params} sort={sort} order={order} selected={selected}
            onSort={(key) => set(key === sort
              ? { order: order === "descending" ? "ascending" : null, sort: key === "id" ? null : key }
              : { sort: key === "id" ? null : key, order: null })}
            onSelect={(ids) => set({ chosen: ids.join(",") || null })}
            onTotal={(counted) => setTotal({ ...counted, params })}
          />
        )}
      {none && (filtered || archived) && !group && (
        <NoMatch clear={() => set({ q: null, archived: null })} />
      )}
    </main>
  );
}
