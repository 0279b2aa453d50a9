import { SkillsError } from '../../errors.ts'
import type { TokenEntry } from '../../server/auth/tokens.ts'
import type { Engine } from '../engine/engine.ts'
import { nameLimit } from '../limits/shared-accounts.ts'
import {
  encodeTokenEntry,
  nameTokenSubject,
  readTokenEntry,
  REMOVED_TOKEN,
  TOKENS_PATTERN,
} from './token-entry.ts'

/** A token, and its change by a push. */
export interface PushedToken {
  name: string
  state: 'added' | 'replaced' | 'unchanged'
}

/** Lists the tokens of a fleet by name. */
export async function listTokens(engine: Engine): Promise<TokenEntry[]> {
  const entries: TokenEntry[] = []
  for await (const message of engine.list('access', TOKENS_PATTERN)) {
    const entry = readTokenEntry(message)
    if (entry) entries.push(entry)
  }
  return entries.sort((a, b) => (a.caller.name < b.caller.name ? -1 : 1))
}

/** Adds tokens, and replaces those with the same names. The others stay. Only digests are stored. */
export async function pushTokens(
  engine: Engine,
  entries: readonly TokenEntry[],
): Promise<PushedToken[]> {
  const before = await listTokens(engine)
  for (const entry of entries) requireUnusedDigest(entry, before)
  const pushed: PushedToken[] = []
  for (const entry of entries) {
    const { name } = entry.caller
    const old = before.find(({ caller }) => caller.name === name)
    const text = encodeTokenEntry(entry)
    if (old && encodeTokenEntry(old) === text) {
      pushed.push({ name, state: 'unchanged' })
      continue
    }
    await engine.append('access', nameTokenSubject(name), text)
    pushed.push({ name, state: old ? 'replaced' : 'added' })
  }
  return pushed
}

/** Removes a token. False if there is none with this name. */
export async function removeToken(engine: Engine, name: string): Promise<boolean> {
  const subject = nameTokenSubject(name)
  const stored = await engine.last('access', subject)
  if (!stored || !readTokenEntry(stored)) return false
  await engine.append('access', subject, REMOVED_TOKEN)
  for (const table of ['rate', 'runs', 'use'] as const) {
    await engine.remove('state', nameLimit(table, name))
  }
  return true
}

/** The token would have two names and different scopes. */
function requireUnusedDigest({ digest, caller }: TokenEntry, before: readonly TokenEntry[]): void {
  const same = before.find((each) => each.digest.equals(digest) && each.caller.name !== caller.name)
  if (!same) return
  throw new SkillsError(
    'usage/invalid',
    `The token of "${caller.name}" is that of "${same.caller.name}" in the fleet`,
    { hint: `Type "skills fleet tokens rm ${same.caller.name}" to rename it` },
  )
}
