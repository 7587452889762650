// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of skills are written so.
/** Skills in the shapes that public repositories have them in: the keys of their front matter, and the files beside. */
export const skills: Record<string, Record<string, string>> = {
  'pdf-forms': {
    'SKILL.md':
      '---\nname: pdf-forms\ndescription: Fills forms. Use when a PDF has fields.\nlicense: Proprietary. LICENSE.txt has complete terms\n---\n\n# Forms\n\nStart with scripts/fields.py.\n',
    'scripts/fields.py': 'print("fields")\n',
    'reference.md': '# More\n',
    'LICENSE.txt': 'All rights.\n',
  },
  'commit-helper': {
    'SKILL.md':
      '---\nname: commit-helper\ndescription: >\n  Writes messages of commits\n  from staged changes.\nallowed-tools: Bash(git diff:*), Bash(git log:*)\n---\n\nLook at the staged changes first.\n',
  },
  'api-docs': {
    'SKILL.md':
      '---\nname: "api-docs"\ndescription: "Documents interfaces: routes, types, examples."\nversion: 1.2.0\nauthor: somebody\ntags: [docs, api]\n---\n\nList the routes.\n',
    'templates/route.md': '## {{route}}\n',
  },
  'brand-rules': {
    'SKILL.md':
      "---\nname: brand-rules\ndescription: 'Colours and type of the brand. Don''t guess them.'\nmetadata:\n  version: \"2.0\"\n  category: design\n---\n\nUse the dark blue.\n",
    'assets/logo.svg': '<svg/>\n',
  },
  'log-reader': {
    'SKILL.md':
      '---\nname: log-reader\ndescription: |\n  Reads logs.\n  Use it for stack traces.\nallowed-tools:\n  - Read\n  - Grep\nmodel: sonnet\n---\n\nBegin at the end of the file.\n',
  },
  'sql-review': {
    'SKILL.md':
      '\uFEFF---\r\nname: sql-review\r\ndescription: Reviews queries.\r\n---\r\n\r\nLook for missing indexes.\r\n',
  },
  'release-steps': {
    'SKILL.md':
      '---\nname: release-steps\ndescription: Steps of a release, called by its name alone.\ndisable-model-invocation: true\nuser-invocable: true\nargument-hint: "[version]"\n---\n\nRelease $ARGUMENTS.\n',
  },
  'test-first': {
    'SKILL.md':
      '---\n# written by hand\nname: test-first   # the folder has the same name\ndescription: Test first, then the code\nwhen_to_use: when a feature begins\nlanguages: all\n---\n\nWrite the failing test.\n',
    'examples/one.md': 'One.\n',
  },
  'tables-to-charts': {
    'SKILL.md':
      '---\nname: tables-to-charts\ndescription: Draws charts of tables (CSV, TSV) → PNG. 图表 too.\ncompatibility: needs python3 and matplotlib\nlicense: Apache-2.0\nmetadata: {"author": "somebody", "version": "0.1"}\n---\n\nRun ${CLAUDE_SKILL_DIR}/scripts/draw.sh.\n',
    'scripts/draw.sh': '#!/bin/sh\necho drawn\n',
  },
  'root-cause': {
    'SKILL.md':
      '---\nname: root-cause\ndescription: Finds the cause of a fault before it is mended\ncontext: fork\nagent: explorer\nhooks: {}\n---\n\nReproduce the fault.\n\n---\n\nThen explain it.\n',
  },
};
