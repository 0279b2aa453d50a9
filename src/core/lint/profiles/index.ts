import { AGENT_SKILL_KEYS } from '../agent-skill.ts'
import { CLAUDE_API } from './claude-api.ts'
import { CLAUDE_CODE } from './claude-code.ts'
import { CODEX } from './codex.ts'
import { COPILOT } from './copilot.ts'
import type { HostDescription } from './host.ts'

/** Hosts whose front matter is known beyond the Agent Skills format. */
export const SKILL_HOSTS: readonly HostDescription[] = [CLAUDE_API, CLAUDE_CODE, CODEX, COPILOT]

/** Keys that the front matter of a skill may have for this runtime or for some host. */
export const ALL_HOST_KEYS: readonly string[] = [
  ...new Set([...AGENT_SKILL_KEYS, ...SKILL_HOSTS.flatMap(({ keys }) => Object.keys(keys))]),
]

/** Titles of the hosts that read a key. */
export function listHostsOfKey(key: string): string[] {
  return SKILL_HOSTS.filter(({ keys }) => Object.hasOwn(keys, key)).map(({ title }) => title)
}
