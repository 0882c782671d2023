/** Works on the added ids, at most `concurrency` at once and each id at most once at a time. */
export class Queue {
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** The running ids that have to run once more. */
  readonly #again = new Set<string>();
  /** The ids that are finished for this run, unless they are added with `anew`. */
  readonly #over = new Set<string>();
  readonly #concurrency: number;
  readonly #work: (id: string) => Promise<boolean>;
  #closed = false;

  /** @param work does the work; returns whether the id is finished for this run; must not throw */
  constructor(concurrency: number, work: (id: string) => Promise<boolean>) {
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new TypeError("concurrency has to be a whole number of at least 1.");
    }
    this.#concurrency = concurrency;
    this.#work = work;
  }

  /** @param anew also adds an id that is finished or running */
  add(id: string, anew = false): void {
    if (this.#closed) return;
    if (this.#running.has(id)) {
      if (anew) this.#again.add(id);
      return;
    }
    if (this.#over.has(id) && !anew) return;
    this.#over.delete(id);
    this.#waiting.add(id);
    this.#next();
  }

  #next(): void {
    for (const id of this.#waiting) {
      if (this.#closed || this.#running.size >= this.#concurrency) return;
      this.#waiting.delete(id);
      this.#running.set(id, this.#run(id));
    }
  }

  async #run(id: string): Promise<void> {
    const over = await this.#work(id);
    this.#running.delete(id);
    if (over) this.#over.add(id);
    if (this.#again.delete(id)) this.add(id, true);
    this.#next();
  }

  /** Accepts no more ids, and waits for the running work. */
  async drain(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#running.values());
  }
}
