/** A folder the file tools may work in. */
export interface Root {
  /** Absolute, after links. */
  path: string;
  access: 'write' | 'read';
}

/** Path arithmetic inside the roots; touches no files. `host/files` confines again when a path is used. */
export interface Workspace {
  /** The first root: where relative paths start. */
  readonly directory: string;
  readonly roots: readonly Root[];
  /** Absolute path inside a root, or `outside_workspace`. Refuses NUL. A root's given spelling becomes its real one. */
  resolve(path: string): string;
  /** The root an absolute path lies in. */
  rootOf(path: string): Root | undefined;
  /** How a path is shown: relative to the workspace with `/`, absolute in other roots. */
  show(path: string): string;
}
