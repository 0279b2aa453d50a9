import type { FuzzTarget } from '../engine/target.ts'

/** All targets, each loaded when it is used. */
const TARGETS = {
  addresses: async () => await import('./addresses.ts'),
  'audit-lines': async () => await import('./audit-lines.ts'),
  cassettes: async () => await import('./cassettes.ts'),
  'channel-frames': async () => await import('./channel-frames.ts'),
  'channel-runs': async () => await import('./channel-runs.ts'),
  'control-lines': async () => await import('./control-lines.ts'),
  'egress-dns': async () => await import('./egress-dns.ts'),
  'egress-hello': async () => await import('./egress-hello.ts'),
  'egress-http': async () => await import('./egress-http.ts'),
  'foreign-lock': async () => await import('./foreign-lock.ts'),
  hosts: async () => await import('./hosts.ts'),
  'http-fields': async () => await import('./http-fields.ts'),
  'lock-file': async () => await import('./lock-file.ts'),
  'mcp-lines': async () => await import('./mcp-lines.ts'),
  'output-query': async () => await import('./output-query.ts'),
  patterns: async () => await import('./patterns.ts'),
  policy: async () => await import('./policy.ts'),
  redaction: async () => await import('./redaction.ts'),
  'relay-frames': async () => await import('./relay-frames.ts'),
  'returned-files': async () => await import('./returned-files.ts'),
  'rpc-calls': async () => await import('./rpc-calls.ts'),
  'rpc-json': async () => await import('./rpc-json.ts'),
  'rpc-turns': async () => await import('./rpc-turns.ts'),
  'run-records': async () => await import('./run-records.ts'),
  'secrets-file': async () => await import('./secrets-file.ts'),
  'session-state': async () => await import('./session-state.ts'),
  'shell-words': async () => await import('./shell-words.ts'),
  'skill-md': async () => await import('./skill-md.ts'),
  'skill-toml': async () => await import('./skill-toml.ts'),
  'source-code': async () => await import('./source-code.ts'),
  'stored-outputs': async () => await import('./stored-outputs.ts'),
  tokens: async () => await import('./tokens.ts'),
  'toml-edit': async () => await import('./toml-edit.ts'),
  'trial-traces': async () => await import('./trial-traces.ts'),
  'zygote-messages': async () => await import('./zygote-messages.ts'),
} satisfies Record<string, () => Promise<{ target: FuzzTarget }>>

export const TARGET_NAMES: readonly string[] = Object.keys(TARGETS)

export async function findTarget(name: string): Promise<FuzzTarget> {
  const load = (TARGETS as Record<string, () => Promise<{ target: FuzzTarget }>>)[name]
  if (!load) throw new Error(`There is no target "${name}"; list them with --list`)
  return (await load()).target
}
