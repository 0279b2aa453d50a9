import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOwnName } from '../../util/leftovers.ts'

/** State of a workspace besides its files. */
export interface WorkspaceState {
  version: 1
  createdAt: string
  usedAt: string
  skills: Readonly<Record<string, StagedSkill>>
  /** Staged inputs by their path, so that each is staged once. */
  inputs: Readonly<Record<string, StagedInput>>
  /** Host folders to which symlinks of the workspace lead, by their name inside. */
  links: Readonly<Record<string, string>>
  /** Applied items of the operator's configuration, by key. */
  prepared?: Readonly<Record<string, PreparedItem>>
  bytes: number
  /** Runtime that has a living sandbox of this session. */
  sandbox?: string | undefined
}

/** A file that was written or a command that was run for the configuration. */
interface PreparedItem {
  /** Fingerprint of everything on which the result depends. */
  fingerprint: string
  preparedAt: string
}

interface StagedSkill {
  /** Digest of the skill's files at the time of copying. */
  digest: string
  /** True if commands may change its files. */
  isCopy: boolean
  /** True if its packages are those of its own commands only. */
  hasPrivatePackages?: boolean
  stagedAt: string
}

interface StagedInput {
  from: string
  /** Identity of the input: a file's id or a digest; for an artifact its version. */
  key: string
  version?: number
}

const STATE_FILE = 'workspace.json'

export function createWorkspaceState(): WorkspaceState {
  const now = new Date().toISOString()
  return { version: 1, createdAt: now, usedAt: now, skills: {}, inputs: {}, links: {}, bytes: 0 }
}

/** The last written state; undefined if it cannot be read. */
export function readWorkspaceState(dir: string): WorkspaceState | undefined {
  try {
    const state = JSON.parse(readFileSync(join(dir, STATE_FILE), 'utf8')) as WorkspaceState
    return state.version === 1 ? state : undefined
  } catch {
    return undefined
  }
}

/** Writes atomically; the file is outside the folders that commands can access. */
export function writeWorkspaceState(dir: string, state: WorkspaceState): void {
  const draft = join(dir, `.${createOwnName()}`)
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 })
  renameSync(draft, join(dir, STATE_FILE))
}
