/** Names of tools that every provider takes. One pattern for all who ask: every start asks for each tool. */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
