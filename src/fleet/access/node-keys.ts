import { SkillsError } from '../../errors.ts'
import { loadClient } from '../engine/connection/load-client.ts'
import { KEY_ROLES, type KeyRole, type NodeKey } from './role-permissions.ts'

const NAME = /^[a-z0-9-]{1,32}$/
const PUBLIC_KEY = /^U[A-Z2-7]{55}$/

/** Creates the key of a node. The seed is secret. */
export async function createKey(
  role: KeyRole,
  name: string,
): Promise<{ key: NodeKey; seed: string }> {
  checkNodeName(name)
  const { nkeys } = await loadClient()
  const pair = nkeys.createUser()
  const seed = Buffer.from(pair.getSeed()).toString()
  return { key: { role, name, publicKey: pair.getPublicKey() }, seed }
}

/** Parses a role. Throws `usage/invalid`. */
export function parseRole(text: string): KeyRole {
  const role = KEY_ROLES.find((each) => each === text)
  if (role) return role
  throw new SkillsError(
    'usage/invalid',
    `Expected one of the roles ${KEY_ROLES.join(', ')}, got "${text}"`,
  )
}

/** Parses lines of role, name and public key. Comments begin with `#`. */
export function parseKeys(text: string, file: string): NodeKey[] {
  const keys: NodeKey[] = []
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [role = '', name = '', publicKey = '', ...rest] = line.trim().split(/\s+/)
    if (role === '' || role.startsWith('#')) continue
    const location = `line ${at + 1} of "${file}"`
    if (rest.length > 0 || !PUBLIC_KEY.test(publicKey)) throw lineError(location)
    const key = { role: parseRole(role), name: checkNodeName(name), publicKey }
    const rival = keys.find((each) => each.publicKey === publicKey || isSameNode(each, key))
    if (rival) throw repeatedError(location)
    keys.push(key)
  }
  if (keys.length > 0) return keys
  throw new SkillsError('usage/invalid', `The file "${file}" contains no key`, {
    hint: 'Write the lines that "skills fleet keys create" prints',
  })
}

function isSameNode(a: NodeKey, b: NodeKey): boolean {
  return a.role === b.role && a.name === b.name
}

function checkNodeName(name: string): string {
  if (NAME.test(name)) return name
  throw new SkillsError(
    'usage/invalid',
    `Expected 1 to 32 lowercase letters, digits and hyphens as the name of a node, got "${name}"`,
  )
}

/** The message omits the text, which may be a seed in the wrong file. */
function lineError(location: string): SkillsError {
  return new SkillsError('usage/invalid', `Expected "role name public-key" in ${location}`, {
    hint: 'A public key has 56 characters and begins with U; a seed begins with SU and stays secret',
  })
}

function repeatedError(location: string): SkillsError {
  return new SkillsError('usage/invalid', `The key or the node in ${location} is listed twice`, {
    hint: 'Give each node a key of its own',
  })
}
