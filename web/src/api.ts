import { useEffect, useRef, useState } from "preact/hooks";

export class Problem extends Error {
  constructor(public status: number, detail: string) {
    super(detail);
  }
}

async function readProblem(response: Response): Promise<Problem> {
  try {
    const json = await response.json();
    return new Problem(response.status, String(json.detail ?? json.title ?? response.statusText));
  } catch {
    return new Problem(response.status, response.statusText || `status ${response.status}`);
  }
}

async function request<T>(path: string, options: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/v1${path}`, options);
  } catch (failure) {
    if ((failure as Error).name === "AbortError") throw failure;
    throw new Problem(0, "the server does not answer; is 'tacho serve' still running?");
  }
  if (!response.ok) throw await readProblem(response);
  return response.json() as Promise<T>;
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request(path, signal ? { signal } : {});
}

export function post<T>(path: string, body?: unknown): Promise<T> {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
}

// Sends a body, as JSON text, whenever it changes. While it is sent, the previous answer stays.
export function usePost<T>(path: string, body: string): { data?: T; problem?: Problem; loading: boolean } {
  const [state, set] = useState<{ data?: T; problem?: Problem; loading: boolean }>({ loading: true });
  useEffect(() => {
    let closed = false;
    set((old) => ({ ...old, loading: true }));
    post<T>(path, JSON.parse(body)).then(
      (data) => closed || set({ data, loading: false }),
      (problem: Problem) => closed || set({ problem, loading: false }));
    return () => { closed = true; };
  }, [path, body]);
  return state;
}

export interface ApiResult<T> {
  data: T | undefined;
  problem: Problem | undefined;
  loading: boolean;
  reload: () => void;
}

// Loads a path of the API. While another path loads, the previous result stays on the screen.
export function useApi<T>(path: string | null): ApiResult<T> {
  const [state, set] = useState<{ path: string | null; data?: T; problem?: Problem }>({ path: null });
  const [reloads, setReloads] = useState(0);
  const latest = useRef(0);
  useEffect(() => {
    if (path === null) return;
    const number = ++latest.current;
    const control = new AbortController();
    get<T>(path, control.signal).then(
      (data) => number === latest.current && set({ path, data }),
      (failure) => {
        if (failure.name === "AbortError" || number !== latest.current) return;
        set({ path, problem: failure as Problem });
      });
    return () => control.abort();
  }, [path, reloads]);
  return {
    data: state.data,
    problem: state.problem,
    loading: path !== null && state.path !== path,
    reload: () => setReloads((n) => n + 1),
  };
}
