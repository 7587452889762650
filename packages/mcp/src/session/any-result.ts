import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** Any object passes: results are read entry by entry here, so that one bad entry does not fail the whole answer. */
export const anyResult: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'toolwright',
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: 'not an object' }] }),
  },
};
