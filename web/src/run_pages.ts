// The pages of one list, asked for as they are looked at. Who drags a scroll bar passes hundreds: only
// what is in view now is asked for, a few pages at a time, and pages far from it are let go.
import { get } from "./api";
import type { Run, RunPage } from "./types";

const pageSize = 100;
const mostAtOnce = 3;
const mostKept = 60;

export class RunPages {
  total = -1;
  private readonly rows = new Map<number, Run[]>();
  private readonly underway = new Set<number>();
  private readonly control = new AbortController();
  private first = 0;
  private last = 0;

  // `changed` is told of every answer, and of what went wrong instead of one.
  constructor(private readonly query: string, private readonly changed: (problem?: string) => void) {
    this.load(0);
  }

  at(index: number): Run | undefined {
    return this.rows.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  // The rows from `begin` to before `end` are looked at.
  look(begin: number, end: number): void {
    this.first = Math.floor(begin / pageSize);
    this.last = Math.floor(Math.max(begin, end - 1) / pageSize);
    this.loadMissing();
  }

  // What is looked at may have changed.
  refresh(): void {
    if (this.underway.size > 0) return;
    for (let page = this.first; page <= this.last; ++page) this.load(page);
  }

  close(): void {
    this.control.abort();
  }

  private loadMissing(): void {
    for (let page = this.first; page <= this.last && this.underway.size < mostAtOnce; ++page) {
      if (!this.rows.has(page) && !this.underway.has(page)) this.load(page);
    }
  }

  private load(page: number): void {
    this.underway.add(page);
    get<RunPage>(`/runs?${this.query}&limit=${pageSize}&offset=${page * pageSize}`, this.control.signal).then((answer) => {
      this.underway.delete(page);
      this.rows.set(page, answer.runs);
      this.total = answer.total;
      this.letGo();
      this.loadMissing();
      this.changed();
    }, (failure: Error) => {
      this.underway.delete(page);
      if (failure.name !== "AbortError") this.changed(failure.message);
    });
  }

  private letGo(): void {
    if (this.rows.size <= mostKept) return;
    const distance = (page: number) => Math.max(this.first - page, page - this.last);
    const far = [...this.rows.keys()].sort((a, b) => distance(b) - distance(a));
    for (const page of far.slice(0, this.rows.size - mostKept)) this.rows.delete(page);
  }
}
