/** Limits how much a page may grow by links made absolute and cells repeated over rows. */
export class OutputBudget {
  #left: number;

  constructor(pageSize: number) {
    this.#left = 2 * pageSize + 50_000;
  }

  spend(characters: number): boolean {
    this.#left -= characters;
    return this.#left >= 0;
  }
}
