// Series that grow while a run is live. They keep the form of the server's answer: buckets of equal width, so that a
// long run takes no longer to draw than a short one.
import type { Buckets } from "./types";

export type Numbers = (number | null)[];
export interface Extent {
  count: number; // values
  bucket: number; // values per bucket; the last one may have fewer
}

export const mostBuckets = 4000; // twice those of the server's answer

type Combine = (a: number, b: number) => number;
const known = (a: number | null, b: number | null, combine: Combine) => (a === null ? b : b === null ? a : combine(a, b));

// Joins every two buckets.
function halved({ low, mean, high }: Buckets, { count, bucket }: Extent): Buckets {
  const pairs = (values: Numbers, combine: (i: number) => Combine) =>
    Array.from({ length: Math.ceil(values.length / 2) }, (_, i) => known(values[2 * i]!, values[2 * i + 1] ?? null, combine(2 * i)));
  const weighted = (i: number): Combine => {
    const share = bucket / Math.min(2 * bucket, count - i * bucket);
    return (a, b) => a * share + b * (1 - share);
  };
  return { low: pairs(low ?? mean, () => Math.min), mean: pairs(mean, weighted), high: pairs(high ?? mean, () => Math.max) };
}

function appended({ low, mean, high }: Buckets, { count, bucket }: Extent, more: Numbers): Buckets {
  if (bucket === 1) return { mean: mean.concat(more) };
  const all = { low: [...(low ?? mean)], mean: [...mean], high: [...(high ?? mean)] };
  more.forEach((value, k) => {
    const filled = (count + k) % bucket;
    const i = filled === 0 ? all.mean.length : all.mean.length - 1;
    all.low[i] = known(all.low[i] ?? null, value, Math.min);
    all.mean[i] = known(all.mean[i] ?? null, value, (a, b) => a + (b - a) / (filled + 1));
    all.high[i] = known(all.high[i] ?? null, value, Math.max);
  });
  return all;
}

// Appends as many values to each column, and widens the buckets when there are too many.
export function grown<Key extends string>(
  columns: Record<Key, Buckets>, extent: Extent, more: Record<Key, Numbers>,
): Extent & { columns: Record<Key, Buckets> } {
  const keys = Object.keys(columns) as Key[];
  const each = (change: (key: Key) => Buckets) => Object.fromEntries(keys.map((key) => [key, change(key)])) as Record<Key, Buckets>;
  let { count, bucket } = extent;
  let all = each((key) => appended(columns[key], { count, bucket }, more[key]));
  count += keys.length > 0 ? more[keys[0]!].length : 0;
  for (; Math.ceil(count / bucket) > mostBuckets; bucket *= 2) {
    const before = all;
    all = each((key) => halved(before[key], { count, bucket }));
  }
  return { count, bucket, columns: all };
}
