import { fileURLToPath } from 'node:url';

/** The folder with the files of the page, beside this file wherever it was built to. */
export const pageFolder = (): string => fileURLToPath(new URL('./page/', import.meta.url));
