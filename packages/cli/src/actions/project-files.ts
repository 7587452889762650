const SETTINGS = `{
  // Settings of this project. They take effect once you trust the folder (toolwright trust) and can only restrict
  // what your own settings allow. All keys: docs/settings.md
  "v": 1,
  "permissions": {
    "ask": [],
    "deny": ["Read(**/.env)"]
  }
}
`;

const CONTEXT = `# Notes for agents

What is this project, how is it built and tested, and what should be left alone? Agents read this file first.

- Build:
- Test:
- Conventions:
`;

/** The files a project starts from. */
export const projectFiles: readonly [name: string, text: string][] = [
  ['.toolwright/settings.json', SETTINGS],
  ['AGENTS.md', CONTEXT],
];
