const HISTORY =
  /(^|\/)\.git\/(objects|refs|logs|rebase-merge|rebase-apply|sequencer)(\/|$)|(^|\/)\.git\/(index|HEAD|packed-refs|shallow|[A-Z]+_(HEAD|EDITMSG|MSG|MODE|RR|LOG)|gc\.log)(\.lock)?$/;

/** Files that hold git's history, as opposed to configuration, hooks and links to other folders, which can start programs. */
export function isGitHistory(path: string): boolean {
  return HISTORY.test(path.split('\\').join('/'));
}

/** Puts the user's files before those of git's history: a commit is known by its files, not by its objects. */
export function historyLast<Item>(items: readonly Item[], pathOf: (item: Item) => string): Item[] {
  return items.toSorted(
    (left, right) => Number(isGitHistory(pathOf(left))) - Number(isGitHistory(pathOf(right))),
  );
}
