/** Works on what is added, each id once at a time, and so many at once. */
export class Queue {
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  /** What is to be done once more as soon as it is done. */
  readonly #again = new Set<string>();
  /** What is over for this run, unless it is asked for anew. */
  readonly #over = new Set<string>();
  readonly #concurrency: number;
  readonly #work: (id: string) => Promise<boolean>;
  #closed = false;

  /** @param work whether it is over for this run; must not throw */
  constructor(concurrency: number, work: (id: string) => Promise<boolean>) {
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new TypeError("concurrency is a whole number from 1 on.");
    }
    this.#concurrency = concurrency;
    this.#work = work;
  }

  /** @param anew even if it is over, or being done at this moment */
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

  /** Takes no more, and waits for what is being done. */
  async drain(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#running.values());
  }
}
