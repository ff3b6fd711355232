import "uplot/dist/uPlot.min.css";
import "./style.css";
import { render, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApi } from "./api";
import { CompareView } from "./compare";
import { ComparisonsView, ComparisonView } from "./comparisons";
import { CurvesView } from "./curves";
import { EnvironmentsView } from "./environments";
import { visible } from "./format";
import { LedgerView } from "./ledger";
import { MachineView } from "./machine";
import { MemoryView } from "./memory";
import { NewRunView } from "./new_run";
import { PredictView } from "./predict";
import { RecommendView } from "./recommend";
import { interceptLinks, useRoute } from "./route";
import { RunView } from "./run";
import { RunsView } from "./runs";
import { SweepView } from "./sweep";
import { SweepsView } from "./sweeps";
import { applyTheme, selectTheme, selectedTheme, type Theme } from "./theme";
import { Empty } from "./ui";

interface About {
  version: string;
  commit: string;
  home: string;
  read_only: boolean;
  runs: number;
}

const views: [string, string][] = [
  ["/", "Runs"], ["/curves", "Curves"], ["/compare", "Compare"], ["/environments", "Environments"], ["/sweeps", "Sweeps"],
  ["/predict", "Predict"], ["/recommend", "Recommend"], ["/ledger", "Ledger"], ["/memory", "Memory"], ["/machine", "Machine"],
];

function ThemeChoice(): JSX.Element {
  const [theme, set] = useState<Theme>(selectedTheme);
  const next: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
  const mark: Record<Theme, string> = { auto: "◐", light: "○", dark: "●" };
  return (
    <button
      type="button" class="quiet theme" title={`colours: ${theme}`} aria-label={`Colours: ${theme}. Change to ${next[theme]}`}
      onClick={() => { selectTheme(next[theme]); set(next[theme]); }}
    >{mark[theme]}</button>
  );
}

// As kViews in src/serving/dashboard/pages.cpp.
const viewsWithItems = new Set(["runs", "comparisons", "sweeps"]);
const viewsWithoutItems = new Set(["compare", "curves", "environments", "predict", "recommend", "ledger", "memory", "machine", "new"]);

// The decoded segments of a path; undefined if it is not valid UTF-8.
function segmentsOf(path: string): string[] | undefined {
  try {
    return path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function isKnown(segments: string[] | undefined): boolean {
  if (!segments) return false;
  const [view] = segments;
  if (view === undefined) return true;
  return viewsWithItems.has(view) ? segments.length <= 2 : viewsWithoutItems.has(view) && segments.length === 1;
}

function NotFound({ address }: { address: string }): JSX.Element {
  return (
    <main>
      <Empty title="Not found">
        <p>There is no page at <code><bdi>{visible(address)}</bdi></code>.</p>
        <p><a href="/">All runs</a></p>
      </Empty>
    </main>
  );
}

function Page({ path, about }: { path: string; about: About | undefined }): JSX.Element {
  const segments = segmentsOf(path);
  if (!segments || !isKnown(segments)) return <NotFound address={segments ? `/${segments.join("/")}` : path} />;
  const [first, second] = segments;
  const readOnly = about?.read_only ?? false;
  if (first === undefined || (first === "runs" && second === undefined)) return <RunsView readOnly={about?.read_only !== false} />;
  if (first === "runs") return <RunView key={second} handle={second!} readOnly={about?.read_only !== false} />;
  if (first === "compare") return <CompareView />;
  if (first === "curves") return <CurvesView />;
  if (first === "comparisons") return second === undefined ? <ComparisonsView /> : <ComparisonView handle={second} />;
  if (first === "environments") return <EnvironmentsView />;
  if (first === "sweeps") return second === undefined ? <SweepsView readOnly={readOnly} /> : <SweepView key={second} handle={second} readOnly={readOnly} />;
  if (first === "predict") return <PredictView />;
  if (first === "recommend") return <RecommendView />;
  if (first === "ledger") return <LedgerView />;
  if (first === "memory") return <MemoryView />;
  if (first === "machine") return <MachineView />;
  return <NewRunView readOnly={readOnly} />;
}

function App(): JSX.Element {
  const url = useRoute();
  const { data: about } = useApi<About>("/about");
  const path = url.pathname;
  useEffect(() => {
    const view = views.find(([at]) => (at === "/" ? path === "/" : path.startsWith(at)));
    if (!isKnown(segmentsOf(path))) document.title = "Not found – Tacho";
    else if (view) document.title = `${view[1]} – Tacho`;
    // On a narrow screen the navigation scrolls: keep the current view visible.
    const current = document.querySelector<HTMLElement>(".top nav [aria-current]");
    if (current?.parentElement) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft - 40;
  }, [path]);
  const isCurrent = (at: string) => (at === "/" ? path === "/" || path.startsWith("/runs")
    : path === at || path.startsWith(`${at}/`) || (at === "/compare" && path.startsWith("/comparisons")));
  return (
    <>
      <a class="skip" href="#content">Skip to content</a>
      <header class="top">
        <a class="mark" href="/"><img src="/icon.svg" alt="" width="20" height="20" /> tacho</a>
        <nav aria-label="Views">
          {views.map(([at, name]) => <a key={at} href={at} aria-current={isCurrent(at) ? "page" : undefined}>{name}</a>)}
        </nav>
        <div class="right">
          {about?.read_only && <span class="soft nowrap">read-only</span>}
          {!about?.read_only && <a class="button" href="/new" aria-current={path === "/new" ? "page" : undefined}>New run</a>}
          <ThemeChoice />
        </div>
      </header>
      <div id="content"><Page path={path} about={about} /></div>
    </>
  );
}

applyTheme();
interceptLinks();
render(<App />, document.getElementById("app")!);
