import { parseTokens } from '../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createCallers } from '../helpers/server.ts'
import { createFolder } from '../helpers/skills.ts'
import { join } from 'node:path'

export const SKILL = prefixPaths('skills/greet', createActionSkill('demo.greet'))

const POLICY = `[limits]
timeout = "5m"
[[rules]]
name = "guests"
when = { tokens = ["guest*"] }
refuse = "Guests may look only"
`

/** Writes a policy that refuses guests. Returns settings that use it. */
export function writePolicy(): Record<string, unknown> {
  return { 'policy.file': join(createFolder({ 'policy.toml': POLICY }), 'policy.toml') }
}

/** Tokens of a server on which Ada is no operator. */
export const READER = 'ada-token-0123456789'
export const createTokens = () => parseTokens(`${READER} ada read,run,write\n`, 'tokens.txt')

/** Runs the skill, so that the server has decisions. */
export async function runGreet(url: string, names: readonly string[]): Promise<void> {
  const { result } = createCallers(url)
  for (const name of names) await result('execute_skill', { name: 'demo.greet', args: { name } })
}
