import type { TomlSource } from '../skills/manifest/source.ts'
import type { ApprovalHook } from './policy.ts'
import type { APPROVAL_FIELDS } from './policy-fields.ts'
import { formatPolicyLocation, createPolicyError } from './policy-error.ts'
import type { TableValues } from './read-table.ts'

const DEFAULT_TIMEOUT_MS = 300_000
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Parses `[approval]`; undefined if it is missing. */
export function parseApproval(
  toml: TomlSource,
  given: TableValues<typeof APPROVAL_FIELDS>,
): ApprovalHook | undefined {
  if (toml.data['approval'] === undefined) return undefined
  const { command, url, secret_file: secretFile, timeout: timeoutMs = DEFAULT_TIMEOUT_MS } = given
  const wrong = (key: string, message: string, hint?: string) =>
    createPolicyError(toml, { path: ['approval', key] }, { message, hint })
  const place = () => formatPolicyLocation(toml, ['approval'])
  if (command !== undefined && url !== undefined) {
    throw wrong('url', 'Both a command and a url are given, expected one of them')
  }
  if (command !== undefined) {
    const [program = '', ...rest] = command
    if (!program.startsWith('/')) {
      const hint = 'Write the path of the program: what a name stands for depends on who runs it'
      throw wrong('command', `"${program}" is no absolute path`, hint)
    }
    if (secretFile !== undefined) throw wrong('secret_file', 'Only a webhook is signed')
    return { kind: 'command', command: [program, ...rest], timeoutMs, place }
  }
  if (url === undefined) {
    throw wrong('command', 'Nobody is named to ask', 'Add command = ["/path/of/program"], or url')
  }
  const problem = describeUrlProblem(url)
  if (problem !== undefined) throw wrong('url', `"${url}" ${problem}`)
  return { kind: 'webhook', url, secretFile, timeoutMs, place }
}

/** The question contains the caller's inputs, so it must not cross a network unencrypted. */
function describeUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is no URL'
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return 'has a user name'
  if (protocol === 'https:') return undefined
  if (protocol !== 'http:') return 'is no https URL'
  return LOOPBACK.test(hostname) ? undefined : 'is not on this machine, expected https'
}
