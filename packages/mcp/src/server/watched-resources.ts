/** The most resources watched at a time: the oldest gives way. */
const MOST_WATCHED = 20;

/** The resources of a server whose changes are wanted, and those that have changed since they were read. Outlives sessions. */
export class WatchedResources {
  /** The watched resources, in the order in which they were wanted. */
  readonly #hasChanged = new Map<string, boolean>();

  get uris(): string[] {
    return [...this.#hasChanged.keys()];
  }

  get changed(): string[] {
    return this.uris.filter((uri) => this.#hasChanged.get(uri));
  }

  has(uri: string): boolean {
    return this.#hasChanged.has(uri);
  }

  add(uri: string): void {
    this.#hasChanged.set(uri, false);
    const [oldest] = this.uris;
    if (this.#hasChanged.size > MOST_WATCHED && oldest !== undefined) this.delete(oldest);
  }

  delete(uri: string): void {
    this.#hasChanged.delete(uri);
  }

  /** The resource was read: only later changes are news. */
  wasRead(uri: string): void {
    if (this.has(uri)) this.#hasChanged.set(uri, false);
  }

  /** The server tells a change. True when that is news about a resource that is watched. */
  hear(uri: string): boolean {
    if (this.#hasChanged.get(uri) !== false) return false;
    this.#hasChanged.set(uri, true);
    return true;
  }
}
