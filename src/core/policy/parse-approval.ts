import { isLoopbackHost } from '../../util/loopback-host.ts'
import type { TomlSource } from '../skills/manifest/source.ts'
import type { ApprovalHook } from './policy.ts'
import type { APPROVAL_FIELDS } from './policy-fields.ts'
import { formatPolicyLocation, createPolicyError } from './policy-error.ts'
import type { TableValues } from './read-table.ts'

const DEFAULT_TIMEOUT_MS = 300_000

/** Parses `[approval]`; undefined if it is missing. */
export function parseApproval(
  toml: TomlSource,
  values: TableValues<typeof APPROVAL_FIELDS>,
): ApprovalHook | undefined {
  if (toml.data['approval'] === undefined) return undefined
  const { command, url, secret_file: secretFile, timeout: timeoutMs = DEFAULT_TIMEOUT_MS } = values
  const createError = (key: string, message: string, hint?: string) =>
    createPolicyError(toml, { path: ['approval', key] }, { message, hint })
  const locate = () => formatPolicyLocation(toml, ['approval'])
  if (command !== undefined && url !== undefined) {
    throw createError('url', 'Both command and url are set, expected one of them')
  }
  if (command !== undefined) {
    const [program = '', ...rest] = command
    if (!program.startsWith('/')) {
      const hint = 'Write the path of the program: a name would depend on PATH'
      throw createError('command', `"${program}" is not an absolute path`, hint)
    }
    if (secretFile !== undefined)
      throw createError('secret_file', 'Only webhook requests are signed, expected no secret_file')
    return { kind: 'command', command: [program, ...rest], timeoutMs, locate }
  }
  if (url === undefined) {
    throw createError(
      'command',
      '[approval] has neither command nor url',
      'Add command = ["/path/of/program"], or url',
    )
  }
  const problem = describeUrlProblem(url)
  if (problem !== undefined) throw createError('url', `"${url}" ${problem}`)
  return { kind: 'webhook', url, secretFile, timeoutMs, locate }
}

/** The question contains the caller's inputs, so it must not cross a network unencrypted. */
function describeUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL'
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return 'contains a user name'
  if (protocol === 'https:') return undefined
  if (protocol !== 'http:') return 'is not an https URL'
  return isLoopbackHost(hostname) ? undefined : 'is not on this machine, expected https'
}
