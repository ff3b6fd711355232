// Surveys of 'tacho bench memory' and 'tacho bench comms', one at a time.
import type { JSX } from "preact";
import { useApi } from "./api";
import { bytes, seconds, share, shortTime, visible } from "./format";
import { useWidth } from "./parallel_lines";
import { navigate, useRoute, withParams } from "./route";
import { SortTable } from "./run_report";
import { logTicks } from "./statistics";
import type { CommsSurvey, LabSurveyLine, MemorySurvey } from "./survey_types";
import { Command, Loading, ProblemNote, Section } from "./ui";

const height = 280;
const margin = { left: 62, right: 28, top: 14, bottom: 38 };
const shownForms = 14;

const gb = (value: number) => `${Number(value.toPrecision(3))} GB/s`;
const nameOf = (line: LabSurveyLine) => (line.kind === "comms" ? `communication, ${line.ranks} ranks` : `memory, ${line.device === "cuda" ? "GPU" : "CPU"}`);

function MemoryForms({ survey }: { survey: MemorySurvey }): JSX.Element {
  const inMemory = survey.measurements.filter((m) => m.level === "memory");
  const rows = inMemory.length > 0 ? inMemory : survey.measurements;
  const best = [...rows].sort((a, b) => b.gb_per_s - a.gb_per_s).slice(0, shownForms);
  const most = Math.max(...rows.map((m) => m.threads));
  const nameOfForm = (m: (typeof rows)[number]) => `${m.operation}, ${m.form}${m.threads < most ? `, ${m.threads} of ${most} threads` : ""}`;
  return (
    <>
      <ul class="bandwidth">
        {best.map((m, i) => (
          <li key={i}>
            <span class="name" title={visible(nameOfForm(m))}>{visible(nameOfForm(m))}</span>
            <span class="gauge" role="img" aria-label={`${share(m.of_ceiling)} of the ceiling`}><b style={{ width: `${Math.min(100, 100 * m.of_ceiling)}%` }} /></span>
            <span class="number">{gb(m.gb_per_s)}</span>
            <span class="number soft">{share(m.of_ceiling)}</span>
          </li>
        ))}
      </ul>
      <SortTable
        label="memory measurements" rows={survey.measurements}
        columns={[
          { key: "operation", title: "operation", value: (m) => m.operation },
          { key: "form", title: "form", value: (m) => m.form },
          { key: "level", title: "level", value: (m) => m.level },
          { key: "threads", title: "threads", value: (m) => m.threads },
          { key: "rate", title: "GB/s", value: (m) => m.gb_per_s, text: (m) => m.gb_per_s.toPrecision(3) },
          { key: "ceiling", title: "of ceiling", value: (m) => m.of_ceiling, text: (m) => share(m.of_ceiling) },
          { key: "loss", title: "loss", value: (m) => visible(m.loss), wide: true },
        ]}
      />
    </>
  );
}

function BusChart({ survey }: { survey: CommsSurvey }): JSX.Element | null {
  const [place, width] = useWidth();
  const points = survey.collectives.filter((c) => c.bytes > 0 && c.bus_gb_per_s > 0);
  if (points.length === 0) return null;
  const names = [...new Set(points.map((c) => `${c.backend} ${c.collective}`))];
  const [xLow, xHigh] = [Math.min(...points.map((c) => c.bytes)), Math.max(...points.map((c) => c.bytes)) * 1.2];
  const [yLow, yHigh] = [Math.min(...points.map((c) => c.bus_gb_per_s)) / 1.5, Math.max(...points.map((c) => c.bus_gb_per_s)) * 1.8];
  const ticks = [];  // powers of two
  for (let size = 8; size <= xHigh; size *= 32) ticks.push(size);
  const log = (value: number, low: number, high: number) => (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low));
  const xOf = (value: number) => margin.left + (width - margin.left - margin.right) * log(value, xLow, xHigh);
  const yOf = (value: number) => height - margin.bottom - (height - margin.top - margin.bottom) * log(value, yLow, yHigh);
  return (
    <div ref={place} class="offer-chart">
      <svg width={width} height={height} role="img" aria-label={`Bus bandwidth by message size for ${names.join(", ")}; the table below has the same data`}>
        {ticks.map((t) => (
          <g key={t}><line class="rule" x1={xOf(t)} x2={xOf(t)} y1={margin.top} y2={height - margin.bottom} />
            <text x={xOf(t)} y={height - margin.bottom + 15} text-anchor="middle">{bytes(t)}</text></g>
        ))}
        {logTicks(yLow, yHigh).map((t) => (
          <g key={t}><line class="rule" x1={margin.left} x2={width - margin.right} y1={yOf(t)} y2={yOf(t)} />
            <text x={margin.left - 6} y={yOf(t) + 4} text-anchor="end">{Number(t.toPrecision(1))}</text></g>
        ))}
        <text class="title" x={margin.left + 4} y={margin.top + 8}>bus GB/s</text>
        {names.map((name, i) => {
          const line = points.filter((c) => `${c.backend} ${c.collective}` === name);
          return (
            <g key={name}>
              <polyline points={line.map((c) => `${xOf(c.bytes)},${yOf(c.bus_gb_per_s)}`).join(" ")} fill="none" stroke={`var(--c${i % 8})`} stroke-width="1.8" />
              {line.map((c) => <circle key={c.bytes} cx={xOf(c.bytes)} cy={yOf(c.bus_gb_per_s)} r="3" fill={`var(--c${i % 8})`}><title>{`${name}, ${bytes(c.bytes)}: ${gb(c.bus_gb_per_s)} in ${seconds(c.seconds)}`}</title></circle>)}
            </g>
          );
        })}
      </svg>
      <p class="soft">{names.map((name, i) => <span key={name}><span class="swatch inline" style={{ background: `var(--c${i % 8})` }} />{name.replace(" ", "\u00a0")} </span>)}</p>
    </div>
  );
}

function Comms({ survey }: { survey: CommsSurvey }): JSX.Element {
  const { lines } = survey;
  return (
    <>
      <p class="soft">
        Reference bandwidths, measured in the same run: copy {gb(lines.copy_bytes_per_s / 1e9)} per rank
        {lines.stream_bytes_per_s > 0 && <>, one socket {gb(lines.stream_bytes_per_s / 1e9)}, one socket per rank {gb(lines.ring_bytes_per_s / 1e9)}</>}
        {lines.peak_bytes_per_s !== null && <>; peak {gb(lines.peak_bytes_per_s / 1e9)} ({visible(lines.peak_source)})</>}.
        {survey.absent.map((why) => <span key={why}> Not measured: {visible(why)}.</span>)}
      </p>
      <BusChart survey={survey} />
      <SortTable
        label="collectives" rows={survey.collectives}
        columns={[
          { key: "backend", title: "backend", value: (c) => c.backend },
          { key: "collective", title: "collective", value: (c) => c.collective },
          { key: "size", title: "size", value: (c) => c.bytes, text: (c) => bytes(c.bytes) },
          { key: "time", title: "time", value: (c) => c.seconds, text: (c) => seconds(c.seconds) },
          { key: "algorithm", title: "algorithm GB/s", value: (c) => c.algorithm_gb_per_s, text: (c) => c.algorithm_gb_per_s.toPrecision(3) },
          { key: "bus", title: "bus GB/s", value: (c) => c.bus_gb_per_s, text: (c) => c.bus_gb_per_s.toPrecision(3) },
          { key: "line", title: "of reference", value: (c) => c.of_line ?? NaN, text: (c) => (c.of_line === null ? "–" : share(c.of_line)) },
        ]}
      />
      {survey.gradients.length > 0 && (
        <>
          <h3>Gradient exchange in buckets</h3>
          <SortTable
            label="gradient exchange in buckets" rows={survey.gradients}
            columns={[
              { key: "backend", title: "backend", value: (g) => g.backend },
              { key: "bucket", title: "bucket", value: (g) => g.bucket_bytes, text: (g) => bytes(g.bucket_bytes) },
              { key: "compress", title: "compression", value: (g) => g.compress },
              { key: "sent", title: "sent", value: (g) => g.wire_bytes, text: (g) => bytes(g.wire_bytes) },
              { key: "gradient", title: "gradient", value: (g) => g.payload_bytes, text: (g) => bytes(g.payload_bytes) },
              { key: "time", title: "time", value: (g) => g.seconds, text: (g) => seconds(g.seconds) },
              { key: "hidden", title: "overlapped with compute", value: (g) => g.hidden ?? NaN, text: (g) => (g.hidden === undefined ? "" : share(g.hidden)) },
            ]}
          />
        </>
      )}
    </>
  );
}

export function LabSurveys(): JSX.Element | null {
  const url = useRoute();
  const { data, problem } = useApi<{ surveys: LabSurveyLine[]; unreadable: { key: string; why: string }[] }>("/lab");
  const wanted = url.searchParams.get("survey");
  const line = data?.surveys.find((s) => s.key === wanted) ?? data?.surveys[0];
  const { data: survey, problem: surveyProblem } = useApi<MemorySurvey | CommsSurvey>(line ? `/lab/${encodeURIComponent(line.key)}` : null);
  if (problem) return <ProblemNote problem={problem} />;
  if (!data) return null;
  return (
    <Section
      id="lab" title="Bandwidth surveys of this machine"
      aside={line && (
        <label class="pick"><span>survey</span>
          <select value={line.key} onChange={(e) => navigate(withParams(url, { survey: e.currentTarget.value }), true)}>
            {data.surveys.map((s) => <option key={s.key} value={s.key}>{shortTime(Date.parse(s.at) / 1000)}: {nameOf(s)}, {visible(s.machine).slice(0, 40)}</option>)}
          </select>
        </label>
      )}
    >
      {!line && <p class="soft">No surveys yet. Measure the bandwidth of memory and of communication between ranks: <Command text="tacho bench memory --quick" /> <Command text="tacho bench comms --quick" /></p>}
      {surveyProblem && <ProblemNote problem={surveyProblem} />}
      {line && !survey && !surveyProblem && <Loading text="Loading the survey…" />}
      {survey && <p class="soft">{visible(survey.machine)}; {visible(survey.facts)}{survey.complete ? "" : "; incomplete"}</p>}
      {survey?.kind === "memory" && <MemoryForms survey={survey} />}
      {survey?.kind === "comms" && <Comms survey={survey} />}
      {data.unreadable.map((file) => <p key={file.key} class="soft">{visible(file.key)}.json: {visible(file.why)}</p>)}
    </Section>
  );
}
