// The findings of 'tacho doctor': what this machine has, what is missing, and how to install it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { post, type Problem, useApi } from "./api";
import { fullTime, visible } from "./format";
import type { HealthFinding } from "./types";
import { Command, Loading, ProblemNote, Section } from "./ui";

const words = { ok: "ok", missing: "missing", trouble: "problem" };

interface Check { examined_at: number; findings: HealthFinding[] }

export function MachineView(): JSX.Element {
  const { data: last, problem, reload } = useApi<Check>("/machine");
  const [newer, setNewer] = useState<Check>();
  const [checking, setChecking] = useState(false);
  const [failure, setFailure] = useState<Problem>();
  const data = newer ?? last;
  const checkAgain = (): void => {
    setChecking(true);
    setFailure(undefined);
    post<Check>("/machine").then(setNewer, setFailure).finally(() => setChecking(false));
  };
  if (problem) return <main><ProblemNote problem={problem} reload={reload} /></main>;
  if (!data) return <main><h1>This machine</h1><Loading text="Checking this machine. This takes a few seconds…" /></main>;
  const areas = [...new Set(data.findings.map((f) => f.area))];
  const problems = data.findings.filter((f) => f.health === "trouble").length;
  return (
    <main class="machine">
      <header class="run-head">
        <h1>This machine</h1>
        <p class="meta">
          <span>{problems === 0 ? "no problems" : `${problems} ${problems === 1 ? "problem" : "problems"}`}</span>
          <span>checked {fullTime(data.examined_at)}</span>
          <button type="button" disabled={checking} onClick={checkAgain}>{checking ? "Checking…" : "Check again"}</button>
        </p>
        {failure && <ProblemNote problem={failure} />}
      </header>
      {areas.map((area) => (
        <Section key={area} id={area.replace(/\W+/g, "-")} title={area}>
          <dl class="health">
            {data.findings.filter((f) => f.area === area).map((finding) => (
              <div key={finding.name}>
                <dt><span class={`health-mark ${finding.health}`}>{words[finding.health]}</span> {finding.name}</dt>
                <dd>
                  {visible(finding.text)}
                  {finding.fix && <p class="fix">{/^(tacho|apt-get|script\/\w+) [^,;()]+$/.test(finding.fix) ? <Command text={finding.fix} /> : visible(finding.fix)}</p>}
                </dd>
              </div>
            ))}
          </dl>
        </Section>
      ))}
    </main>
  );
}
