import { createHash } from 'node:crypto'
import type { Limits, SandboxRequest } from '../../sandbox/backend.ts'
import type { MaskedSecret } from '../../sandbox/egress/masking/masked-secret.ts'

/** Everything that the processes of one sandbox can reach, by which commands share it. */
export interface SandboxFacts {
  /** Digest; equal for commands that may share a sandbox. */
  key: string
  /** Names only. */
  secrets: readonly string[]
  /** Folders of the host, as paths inside. */
  folders: readonly string[]
}

/** Values that a command gets. */
interface GrantedValues {
  secrets: Readonly<Record<string, string>>
  masked: readonly MaskedSecret[]
  stranger: string | undefined
  limits: Limits
}

type MountedFolders = Pick<SandboxRequest, 'folders' | 'tools' | 'workspace'>

/**
 * Describes what a command can reach. Processes of one sandbox can read the environment and the
 * memory of each other, so the values of secrets count too.
 */
export function describeSandbox(
  { secrets, masked, stranger, limits }: GrantedValues,
  { folders = [], tools = [], workspace, revision }: MountedFolders & { revision: string },
): SandboxFacts {
  const { wallMs: _, outputBytes: _output, networkBytes: _network, ...shared } = limits
  const sorted = Object.entries(secrets).sort(([a], [b]) => (a < b ? -1 : 1))
  const isolated = stranger !== undefined
  const reached = [sorted, masked, isolated, shared, folders, tools, workspace, revision]
  return {
    key: createHash('sha256').update(JSON.stringify(reached)).digest('hex'),
    secrets: Object.keys(secrets).sort(),
    folders: [...folders, ...tools].map(({ target }) => target).sort(),
  }
}

/** Describes why a command does not share the sandbox of earlier ones. */
export function describeDifference(own: SandboxFacts, other: SandboxFacts): string {
  const differences = [
    ...list('secret', listMissing(own.secrets, other.secrets), 'has'),
    ...list('secret', listMissing(other.secrets, own.secrets), 'lacks'),
    ...list('folder', listMissing(own.folders, other.folders), 'has'),
    ...list('folder', listMissing(other.folders, own.folders), 'lacks'),
  ]
  const difference =
    differences.length > 0 ? differences.join(' and ') : 'has other permissions or folders'
  return `This command ${difference}, unlike earlier ones, so it runs in another sandbox of the session: processes, localhost and /tmp of those are not shared with it`
}

function list(noun: string, names: readonly string[], verb: string): string[] {
  if (names.length === 0) return []
  return [`${verb} the ${noun}${names.length > 1 ? 's' : ''} ${names.join(', ')}`]
}

function listMissing(all: readonly string[], some: readonly string[]): string[] {
  return all.filter((each) => !some.includes(each))
}
