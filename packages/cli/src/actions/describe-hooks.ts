import { describeHook, type Hook, hookEvents, plural } from '@toolwright/core/front-end';

/** The hooks in effect, by event. */
export function describeHooks(hooks: readonly Hook[]): string {
  if (hooks.length === 0) return 'There are no hooks here. docs/hooks.md says how to write one.';
  const lines = hookEvents.flatMap((event) => {
    const own = hooks.filter((hook) => hook.event === event);
    return own.length === 0 ? [] : [event, ...own.map((hook) => `  ${hookLine(hook)}`)];
  });
  return [`${plural(hooks.length, 'hook')}. Hooks can only restrict what is allowed.`, ...lines].join('\n');
}

function hookLine(hook: Hook): string {
  const { matcher, condition, timeoutMs, from, isAsync } = hook;
  const tools = matcher === '' || matcher === '*' ? 'all' : matcher;
  const about = condition === undefined ? tools : `${tools}, if ${condition}`;
  return `${about}: ${describeHook(hook)}, at most ${timeoutMs / 1_000} s, ${from.isOwn ? 'with your rights' : 'in the sandbox'}${isAsync ? ', not waited for' : ''}`;
}
