import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOwnName } from '../../util/leftovers.ts'

/** What is known of a workspace besides its files. */
export interface WorkspaceState {
  version: 1
  createdAt: string
  usedAt: string
  skills: Readonly<Record<string, StagedSkill>>
  /** By where it was put: what came from outside, so that it comes once. */
  inputs: Readonly<Record<string, StagedInput>>
  /** Folders of this machine that links of the workspace lead to, by their name inside. */
  links: Readonly<Record<string, string>>
  /** By the key of what the operator wants there: what was done for it. */
  prepared?: Readonly<Record<string, PreparedItem>>
  bytes: number
}

/** What was written or run so that a workspace is as the operator wants it. */
interface PreparedItem {
  /** Of all that it was made from. */
  fingerprint: string
  preparedAt: string
}

interface StagedSkill {
  /** Of the skill's files as they were copied. */
  digest: string
  /** Its files may be changed by commands. */
  isCopy: boolean
  stagedAt: string
}

interface StagedInput {
  from: string
  /** What identifies it: a file's id or a digest; of an artifact its version. */
  key: string
  version?: number
}

const STATE_FILE = 'workspace.json'

export function createWorkspaceState(): WorkspaceState {
  const now = new Date().toISOString()
  return { version: 1, createdAt: now, usedAt: now, skills: {}, inputs: {}, links: {}, bytes: 0 }
}

/** What was written last; undefined where that cannot be read. */
export function readWorkspaceState(dir: string): WorkspaceState | undefined {
  try {
    const state = JSON.parse(readFileSync(join(dir, STATE_FILE), 'utf8')) as WorkspaceState
    return state.version === 1 ? state : undefined
  } catch {
    return undefined
  }
}

/** Whole or not at all; it lies beside the files that commands can reach. */
export function writeWorkspaceState(dir: string, state: WorkspaceState): void {
  const draft = join(dir, `.${createOwnName()}`)
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 })
  renameSync(draft, join(dir, STATE_FILE))
}
