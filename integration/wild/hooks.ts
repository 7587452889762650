/** A hook script with the entry that names it, and what `hooks try` says of it. */
export interface WildHook {
  what: string;
  event: string;
  /** The group in the list of the event. SCRIPT stands for the path of the script. */
  group: object;
  script: string;
  /** The file of the script; its ending says who runs it. */
  file: string;
  sample?: { tool: string; args: object };
  says: RegExp;
}

const shell = { tool: 'run_shell_command', args: { command: 'rm -rf build' } };
const write = { tool: 'write_file', args: { file_path: '.env', content: 'A=1' } };

/** Scripts as people write them; the three agents differ in the file, the events, names of tools and units of time. */
export function wildHooks(agent: 'claude' | 'gemini' | 'qwen'): WildHook[] {
  const isGemini = agent === 'gemini';
  const [bash, edits] = {
    claude: ['Bash', 'Edit|Write|MultiEdit'],
    gemini: ['run_shell_command', 'write_file|replace'],
    qwen: ['Shell', 'WriteFile|Edit'],
  }[agent] as [string, string];
  const [before, after, prompt, stop] = isGemini
    ? ['BeforeTool', 'AfterTool', 'BeforeAgent', 'AfterAgent']
    : ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop'];
  const project = `$${agent.toUpperCase()}_PROJECT_DIR`;
  const limit = isGemini || agent === 'qwen' ? 10_000 : 10;
  const command = (more: object = {}) => ({
    type: 'command',
    command: `"${project}"/SCRIPT`,
    timeout: limit,
    ...more,
  });
  const group = (matcher: string, more?: object) => ({ matcher, hooks: [command(more)] });
  const name = (text: string): object => (isGemini ? { name: text, description: `Does ${text}.` } : {});
  return [
    {
      what: 'a guard of commands, jq and exit code 2',
      event: before!,
      group: group(bash, name('guard')),
      file: 'guard.sh',
      script: `#!/usr/bin/env bash\nset -euo pipefail\ninput=$(cat)\ncmd=$(echo "$input" | jq -r '.tool_input.command // ""')\nif [[ "$cmd" =~ rm[[:space:]]+-rf ]]; then\n  echo "No recursive removal: $cmd" >&2\n  exit 2\nfi\nexit 0\n`,
      sample: shell,
      says: /would refuse the call: No recursive removal: rm -rf build/,
    },
    {
      what: 'a guard of files in Python, a decision as JSON',
      event: before!,
      group: { matcher: edits, hooks: [{ ...command(), command: `python3 ${project}/SCRIPT` }] },
      file: 'protect.py',
      script: `import json, sys\ndata = json.load(sys.stdin)\npath = data.get("tool_input", {}).get("file_path", "")\nif path.endswith(".env"):\n    print(json.dumps({"hookSpecificOutput": {"hookEventName": data["hook_event_name"], "permissionDecision": "deny", "permissionDecisionReason": f"{path} is secret"}}))\nsys.exit(0)\n`,
      sample: write,
      says: /would refuse the call: .*\.env is secret/,
    },
    {
      what: 'a question, in Node',
      event: before!,
      group: { matcher: bash, hooks: [{ ...command(), command: `node "${project}/SCRIPT"` }] },
      file: 'ask.mjs',
      script: `let text = '';\nfor await (const chunk of process.stdin) text += chunk;\nconst { tool_input } = JSON.parse(text);\nconst permissionDecision = /build/.test(tool_input.command) ? 'ask' : 'allow';\nconsole.log(JSON.stringify({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: 'it touches the build' } }));\n`,
      sample: shell,
      says: /would ask the user: it touches the build/,
    },
    {
      what: 'other arguments',
      event: before!,
      group: group(bash),
      file: 'dry.sh',
      script: isGemini
        ? `#!/bin/bash\njq -c '{hookSpecificOutput: {tool_input: (.tool_input + {command: ("echo " + .tool_input.command)})}}'\n`
        : `#!/bin/bash\njq -c '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: (.tool_input + {command: ("echo " + .tool_input.command)})}}'\n`,
      sample: shell,
      says: /would change the arguments to \{"command":"echo rm -rf build"\}/,
    },
    {
      what: 'a formatter after edits, silent',
      event: after!,
      group: group(edits),
      file: 'format.sh',
      script: `#!/bin/bash\nfile=$(jq -r '.tool_input.file_path // empty')\n[ -z "$file" ] && exit 0\ncase "$file" in *.ts|*.js) npx --no-install prettier --write "$file" >/dev/null 2>&1 ;; esac\nexit 0\n`,
      sample: write,
      says: /nothing/,
    },
    {
      what: 'a check after edits that objects',
      event: after!,
      group: group(edits),
      file: 'check.sh',
      script: `#!/bin/bash\ncat >/dev/null\necho '{"decision": "block", "reason": "The check found 2 faults."}'\n`,
      sample: write,
      says: /The check found 2 faults\./,
    },
    {
      what: 'a log of every call',
      event: before!,
      group: group('*'),
      file: 'log.sh',
      script: `#!/bin/bash\njq -r '[.session_id, .tool_name] | @tsv' >> "${project}/calls.log"\n`,
      sample: shell,
      says: /nothing/,
    },
    {
      what: 'facts for the model at the start',
      event: 'SessionStart',
      group: { matcher: 'startup', hooks: [command()] },
      file: 'facts.sh',
      script: `#!/bin/bash\ncat >/dev/null\necho '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "The branch is main."}}'\n`,
      says: /would tell the model: The branch is main\./,
    },
    {
      what: 'a prompt with a secret is not sent',
      event: prompt!,
      group: { hooks: [command()] },
      file: 'prompt.sh',
      script: `#!/bin/bash\ncat >/dev/null\necho "Prompts are frozen today." >&2\nexit 2\n`,
      says: /would keep the prompt from being sent: Prompts are frozen today\./,
    },
    {
      what: 'the end is put off until the tests pass',
      event: stop!,
      group: { hooks: [command()] },
      file: 'stop.sh',
      script: `#!/bin/bash\nif [ "$(jq -r '.stop_hook_active // false')" = "true" ]; then exit 0; fi\nprintf '%s' '{"decision": "block", "reason": "Run the tests first."}'\n`,
      says: /would make the model continue: Run the tests first\./,
    },
  ];
}

/** Beside the events in the settings of each agent. */
export const besideHooks: Record<'claude' | 'gemini' | 'qwen', object> = {
  claude: { permissions: { allow: [] }, includeCoAuthoredBy: false },
  gemini: { hooksConfig: { enabled: true }, tools: { enableHooks: true } },
  qwen: { $version: 3, disableAllHooks: false },
};
