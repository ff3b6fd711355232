// Charts of a run over steps, epochs and time.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Chart, type Line } from "./chart";
import { bytes, share } from "./format";
import type { RunSeries } from "./live";
import type { Buckets } from "./types";

function band(label: string, buckets: Buckets, color: number): Line {
  const line: Line = { label, values: buckets.mean, color };
  return buckets.low && buckets.high ? { ...line, low: buckets.low, high: buckets.high } : line;
}

// The middle of each bucket, counted from step 1.
function stepsAt(count: number, width: number): number[] {
  return Array.from({ length: count }, (_, i) => i * width + (width + 1) / 2);
}

// A moving average: the trend. The band shows the noise.
function smoothed(values: (number | null)[], reach: number): (number | null)[] {
  let sum = 0;
  let known = 0;
  const add = (value: number | null | undefined, sign: number) => {
    if (value === null || value === undefined) return;
    sum += sign * value;
    known += sign;
  };
  for (let i = 0; i <= Math.min(reach, values.length - 1); ++i) add(values[i], 1);
  return values.map((_, i) => {
    const mean = known > 0 ? sum / known : null;
    add(values[i + reach + 1], 1);
    add(values[i - reach], -1);
    return mean;
  });
}

export function RunCharts({ series, live }: { series: RunSeries; live: boolean }): JSX.Element {
  const { steps, usage, epochs, figures } = series;
  const byStep = useMemo(() => {
    if (!steps || steps.count === 0) return null;
    const x = stepsAt(steps.seconds.mean.length, steps.bucket);
    const rate = steps.seconds.mean.map((s) => (s ? steps.samples_per_step / s : null));
    const reach = Math.max(1, Math.round(x.length / 60));
    return { x, rate, reach };
  }, [steps]);
  const time = usage?.series?.unix_seconds ?? [];
  const origin = time[0] ?? 0;
  const elapsed = useMemo(() => time.map((t) => t - origin), [time]);
  const use = usage?.series;
  return (
    <div class="charts">
      {steps && byStep && (
        <>
          <Chart
            title="Training loss" unit="none" x={byStep.x} xTitle="step" group="steps"
            lines={[
              { ...band("each step", steps.loss, 7) },
              { label: "trend", values: smoothed(steps.loss.mean, byStep.reach), color: 0 },
            ]}
          />
          <Chart
            title="Samples per second" unit="per_second" x={byStep.x} xTitle="step" group="steps" fromZero
            lines={[
              { label: "each step", values: byStep.rate, color: 7 },
              { label: "trend", values: smoothed(byStep.rate, byStep.reach), color: 2 },
            ]}
          />
          <Chart
            title="Step time" unit="seconds" x={byStep.x} xTitle="step" group="steps" fromZero
            lines={[band("whole step", steps.seconds, 0), band("waiting for input", steps.input_seconds, 1)]}
          />
        </>
      )}
      {epochs.length > 0 && (
        <>
          <Chart
            title="Accuracy" unit="share" x={epochs.map((e) => e.epoch)} xTitle="epoch"
            lines={[
              { label: "evaluation top-1", values: epochs.map((e) => e.top1), color: 0, points: true },
              { label: "training top-1", values: epochs.map((e) => e.train_top1), color: 1, points: true },
            ]}
          />
          <Chart
            title="Loss by epoch" unit="none" x={epochs.map((e) => e.epoch)} xTitle="epoch"
            lines={[
              { label: "evaluation", values: epochs.map((e) => e.eval_loss), color: 0, points: true },
              { label: "training", values: epochs.map((e) => e.train_loss), color: 1, points: true },
            ]}
          />
        </>
      )}
      {Object.entries(figures).map(([name, series], i) => (
        <Chart
          key={name} title={`${name}, reported by the program`} unit="none" x={series.step} xTitle="step"
          lines={[band(name, series.value, i)]}
        />
      ))}
      {use && elapsed.length > 1 && (
        <>
          <Chart
            title="CPU cores in use" unit="count" x={elapsed} xTitle="time" xUnit="seconds" group="time" fromZero
            lines={[band("cores", use.cores, 0)]}
            limit={usage?.cores_allowed ? { value: usage.cores_allowed, label: `limit ${usage.cores_allowed}` } : undefined}
          />
          <Chart
            title="Memory, all processes" unit="bytes" x={elapsed} xTitle="time" xUnit="seconds" group="time" fromZero
            lines={[band("resident", use.resident_bytes, 3)]}
            limit={usage?.memory_limit_bytes ? { value: usage.memory_limit_bytes, label: `limit ${bytes(usage.memory_limit_bytes)}` } : undefined}
          />
          {(use.read_bytes_per_s || use.write_bytes_per_s) && (
            <Chart
              title="Storage" unit="bytes_per_second" x={elapsed} xTitle="time" xUnit="seconds" group="time" fromZero
              lines={[
                ...(use.read_bytes_per_s ? [band("read", use.read_bytes_per_s, 2)] : []),
                ...(use.write_bytes_per_s ? [band("write", use.write_bytes_per_s, 1)] : []),
              ]}
            />
          )}
          {use.gpus.length > 0 && (
            <>
              <Chart title="GPU busy" unit="share" x={elapsed} xTitle="time" xUnit="seconds" group="time" fromZero
                lines={use.gpus.map((gpu, i) => band(`GPU ${gpu.index}`, gpu.busy, i))} />
              <Chart title="GPU memory" unit="bytes" x={elapsed} xTitle="time" xUnit="seconds" group="time" fromZero
                lines={use.gpus.map((gpu, i) => band(`GPU ${gpu.index}`, gpu.memory_bytes, i))} />
              <Chart title="GPU power, watts" unit="count" x={elapsed} xTitle="time" xUnit="seconds" group="time" fromZero
                lines={use.gpus.map((gpu, i) => band(`GPU ${gpu.index}`, gpu.watts, i))} />
            </>
          )}
        </>
      )}
      {steps && !byStep && epochs.length === 0 && Object.keys(figures).length === 0 && (
        <p class="soft">{live ? "No steps yet." : "No steps were recorded."} A watched program gets charts of the figures that it prints, such as <code>loss=0.3</code>.</p>
      )}
      {usage && !use && <p class="soft">No usage data: {usage.why}.</p>}
      {steps && steps.warmup.length > 0 && (
        <p class="soft note">
          {steps.warmup.length} warm-up {steps.warmup.length === 1 ? "step is" : "steps are"} excluded from the
          metrics ({share(steps.warmup.length / Math.max(1, steps.count))} of all steps).
        </p>
      )}
    </div>
  );
}
