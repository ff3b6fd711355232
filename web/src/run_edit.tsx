// What the user says about a run: name, project, tags, notes; archive and delete.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, type Problem } from "./api";
import { conditionText } from "./filter";
import { visible } from "./format";
import { navigate } from "./route";
import type { RunDetail } from "./types";

// Asks once more, in the page.
export function DeleteButton({ what, confirm }: { what: string; confirm: () => void }): JSX.Element {
  const [asking, setAsking] = useState(false);
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), [asking]);
  if (!asking) return <button type="button" class="danger" onClick={() => setAsking(true)}>Delete</button>;
  return (
    <span class="asking" role="group" aria-label="Confirm">
      Delete {what} with all files?{" "}
      <button type="button" class="danger" onClick={() => { setAsking(false); confirm(); }}>Yes, delete</button>{" "}
      <button type="button" ref={keep} onClick={() => setAsking(false)}>Keep</button>
    </span>
  );
}

const filtered = (...condition: [string, string, string]) => `/?q=${encodeURIComponent(conditionText(...condition))}`;

export function RunWords({ run }: { run: RunDetail }): JSX.Element {
  const notes = run.record.edits?.notes;
  return (
    <>
      {(run.project || run.tags || run.archived) && (
        <p class="meta">
          {run.archived && <span class="tag">archived</span>}
          {run.project && <a href={filtered("project", "=", run.project)}>{visible(run.project)}</a>}
          {run.tags && run.tags.split(", ").map((tag) => <a key={tag} class="tag" href={filtered("tags", "~", tag)}>{visible(tag)}</a>)}
        </p>
      )}
      {notes && <p class="user-notes">{notes}</p>}
    </>
  );
}

export function RunEdit({ run, live, reload }: { run: RunDetail; live: boolean; reload: () => void }): JSX.Element {
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const path = `/runs/${run.id}`;
  const edit = (changes: object) => post(`${path}/edit`, changes).then(() => { setOpen(false); setProblem(undefined); reload(); }, setProblem);
  const save = (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const field = (name: string) => String(new FormData(event.currentTarget).get(name) ?? "").trim();
    void edit({ name: field("name"), project: field("project"), tags: field("tags").split(",").map((tag) => tag.trim()).filter(Boolean), notes: field("notes") });
  };
  return (
    <>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>Edit</button>
      <button type="button" onClick={() => void edit({ archived: !run.archived })}>{run.archived ? "Unarchive" : "Archive"}</button>
      {!live && <DeleteButton what={`run ${run.id}`} confirm={() => void post(`${path}/delete`).then(() => navigate("/"), setProblem)} />}
      {problem && <span class="bad" role="alert">{problem.message}</span>}
      {open && (
        <form class="edit-form" onSubmit={save} onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
          <label>name<input name="name" defaultValue={run.name} maxLength={200} ref={(input) => { if (input && document.activeElement?.closest("form") !== input.form) input.focus(); }} /></label>
          <label>project<input name="project" defaultValue={run.project} maxLength={200} /></label>
          <label>tags, separated by commas<input name="tags" defaultValue={run.tags} /></label>
          <label>notes<textarea name="notes" rows={4} defaultValue={run.record.edits?.notes ?? ""} /></label>
          <span><button type="submit" class="primary">Save</button> <button type="button" onClick={() => setOpen(false)}>Close</button></span>
        </form>
      )}
    </>
  );
}
