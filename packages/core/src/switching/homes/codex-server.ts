import { isJsonObject, type JsonObject } from '@toolwright/machine/base/json.js';

/** The members of a server by the names that settings here have for them. */
export function serverOf(server: JsonObject): JsonObject {
  const {
    tool_timeout_sec: seconds,
    enabled_tools,
    disabled_tools,
    http_headers,
    bearer_token_env_var,
    env,
    env_vars,
    env_http_headers,
    url,
    ...rest
  } = server;
  const headers: JsonObject = isJsonObject(http_headers) ? { ...http_headers } : {};
  for (const [header, variable] of Object.entries(isJsonObject(env_http_headers) ? env_http_headers : {}))
    headers[header] = `\${${String(variable)}:-}`;
  if (typeof bearer_token_env_var === 'string') headers['Authorization'] = `Bearer $${bearer_token_env_var}`;
  const passed = variablesNamed(env_vars);
  return {
    ...rest,
    env: passed.length > 0 || isJsonObject(env) ? { ...fromEnvironment(passed), ...Object(env) } : undefined,
    httpUrl: typeof url === 'string' ? url : undefined,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    timeout: typeof seconds === 'number' ? Math.round(seconds * 1_000) : undefined,
    includeTools: Array.isArray(enabled_tools) ? enabled_tools : undefined,
    excludeTools: Array.isArray(disabled_tools) ? disabled_tools : undefined,
  };
}

/** Names of variables, each alone or with where it comes from. */
function variablesNamed(written: unknown): string[] {
  const names = (Array.isArray(written) ? written : []).map((each: unknown) =>
    isJsonObject(each) ? each['name'] : each,
  );
  return names.filter((name) => typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name)) as string[];
}

/** What Codex passes on, a server here is given. */
function fromEnvironment(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, `\${${name}:-}`]));
}
