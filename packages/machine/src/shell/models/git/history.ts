const HISTORY =
  /(^|\/)\.git\/(objects|refs|logs|rebase-merge|rebase-apply|sequencer)(\/|$)|(^|\/)\.git\/(index|HEAD|packed-refs|shallow|[A-Z]+_(HEAD|EDITMSG|MSG|MODE|RR|LOG)|gc\.log)(\.lock)?$/;

/** What git keeps its history in. Its configuration, hooks and links to other folders make it run something. */
export function isGitHistory(path: string): boolean {
  return HISTORY.test(path.split('\\').join('/'));
}

/** What a person works on before what git notes about it: a commit is known by its files, not by its objects. */
export function historyLast<Item>(items: readonly Item[], pathOf: (item: Item) => string): Item[] {
  return items.toSorted(
    (left, right) => Number(isGitHistory(pathOf(left))) - Number(isGitHistory(pathOf(right))),
  );
}
