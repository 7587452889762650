/** Thrown where reading on makes no sense: the line counts as unreadable. */
export class Unreadable extends Error {}
