import { useEffect, useRef, useState } from "preact/hooks";

export class Problem extends Error {
  constructor(public status: number, detail: string) {
    super(detail);
  }
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const json = await response.json();
    return new Problem(response.status, String(json.detail ?? json.title ?? response.statusText));
  } catch {
    return new Problem(response.status, response.statusText || `status ${response.status}`);
  }
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, signal ? { signal } : {});
  } catch (failure) {
    if ((failure as Error).name === "AbortError") throw failure;
    throw new Problem(0, "the server does not answer; is 'tacho serve' still running?");
  }
  if (!response.ok) throw await problemOf(response);
  return response.json() as Promise<T>;
}

export async function post<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(`/api/v1${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  if (!response.ok) throw await problemOf(response);
  return response.json() as Promise<T>;
}

export interface Asked<T> {
  data: T | undefined;
  problem: Problem | undefined;
  loading: boolean;
  again: () => void;
}

// What a path answers. While another path is asked for, the last answer stays on the screen.
export function useApi<T>(path: string | null): Asked<T> {
  const [state, set] = useState<{ path: string | null; data?: T; problem?: Problem }>({ path: null });
  const [turn, setTurn] = useState(0);
  const latest = useRef(0);
  useEffect(() => {
    if (path === null) return;
    const mine = ++latest.current;
    const control = new AbortController();
    get<T>(path, control.signal).then(
      (data) => mine === latest.current && set({ path, data }),
      (failure) => {
        if (failure.name === "AbortError" || mine !== latest.current) return;
        set({ path, problem: failure as Problem });
      });
    return () => control.abort();
  }, [path, turn]);
  return {
    data: state.data,
    problem: state.problem,
    loading: path !== null && state.path !== path,
    again: () => setTurn((n) => n + 1),
  };
}
