import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostFolder } from '../sandbox/backend.ts'
import { GUEST_FOLDERS } from '../sandbox/guest-host/guest-job.ts'
import { isBelowAny } from './files/host-roots.ts'
import { WorkspaceTree } from './files/workspace-tree.ts'
import {
  createWorkspaceState,
  readWorkspaceState,
  writeWorkspaceState,
  type WorkspaceState,
} from './workspace-state.ts'

/** Folders of a workspace's own, beside what is staged into it. */
const OWN_FOLDERS = ['work', 'work/inputs', 'out', 'runs']

/** The folder of one session: what commands see as /workspace, and what belongs to it. */
export class Workspace {
  readonly key: string
  /** Holds everything; nobody else may enter it. */
  readonly dir: string
  #state: WorkspaceState
  #turns = new Map<'staging' | 'preparing', Promise<unknown>>()

  constructor(key: string, dir: string, state: WorkspaceState) {
    this.key = key
    this.dir = dir
    this.#state = state
  }

  get state(): WorkspaceState {
    return this.#state
  }

  /** What commands can write to. */
  get root(): string {
    return join(this.dir, 'root')
  }

  /** Skills as they were staged: commands only read them. */
  get skills(): string {
    return join(this.dir, 'skills')
  }

  get artifacts(): string {
    return join(this.dir, 'artifacts')
  }

  /** Where a skill's packages are installed, or its working copy lies. */
  ownFolder(kind: 'venvs' | 'copies', skill: string): string {
    return join(this.dir, kind, skill)
  }

  /** Changes what is known of it, by whichever process; what fails leaves it as it was. */
  update(change: (state: WorkspaceState) => Partial<WorkspaceState>): void {
    this.reload()
    this.#state = { ...this.#state, ...change(this.#state), usedAt: new Date().toISOString() }
    writeWorkspaceState(this.dir, this.#state)
  }

  /** Another process may have changed what is known. */
  reload(): void {
    this.#state = readWorkspaceState(this.dir) ?? this.#state
  }

  /** One after the other: what is staged is staged once. */
  async runInTurn<T>(kind: 'staging' | 'preparing', work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(kind) ?? Promise.resolve()
    const turn = before.catch(() => {}).then(work)
    this.#turns.set(kind, turn)
    return await turn
  }

  /** Its files as commands see them. */
  async tree(): Promise<WorkspaceTree> {
    const mounts = new Map(this.#listSkillMounts().map((mount) => [mount.target, mount]))
    return new WorkspaceTree({ root: this.root, mounts, user: await this.user() })
  }

  /** Who commands are, where that is not this process; known once the first one was started. */
  async user(): Promise<number | undefined> {
    const { uid } = await lstat(this.root)
    return uid === process.getuid?.() ? undefined : uid
  }

  /** What a run has to be given besides the root; each is one in every run, so none can be moved away. */
  listMounts(hostRoots: readonly string[]): HostFolder[] {
    // What the operator no longer names is no longer there, whatever was linked before.
    const links = Object.entries(this.#state.links).filter(
      ([, source]) => existsSync(source) && isBelowAny(realpathSync(source), hostRoots),
    )
    return [
      ...this.#listSkillMounts().map(({ source, target, isWritable }): HostFolder => ({
        source,
        target: `${GUEST_FOLDERS.workspace}/${target}`,
        mode: isWritable ? 'read-write' : 'read-only',
        isPublic: true,
        isCounted: isWritable,
      })),
      ...links.map(([name, source]): HostFolder => ({
        source,
        target: `/inputs/${name}`,
        mode: 'read-only',
      })),
    ]
  }

  #listSkillMounts(): { source: string; target: string; isWritable: boolean }[] {
    const skills = Object.entries(this.#state.skills)
    return [
      { source: this.skills, target: 'skills', isWritable: false },
      ...skills.map(([name, { isCopy }]) => {
        const source = this.ownFolder(isCopy ? 'copies' : 'venvs', name)
        return { source, target: `skills/${name}${isCopy ? '' : '/.venv'}`, isWritable: true }
      }),
    ]
  }
}

/** Makes the folders of a workspace that is not there yet. */
export async function createWorkspaceFolders(
  dir: string,
  changeOwner: (root: string) => void,
): Promise<void> {
  for (const name of ['root', 'skills', 'venvs', 'copies', 'artifacts']) {
    mkdirSync(join(dir, name), { mode: 0o755 })
  }
  changeOwner(join(dir, 'root'))
  const { uid } = await lstat(join(dir, 'root'))
  const user = uid === process.getuid?.() ? undefined : uid
  const tree = new WorkspaceTree({ root: join(dir, 'root'), mounts: new Map(), user })
  for (const name of OWN_FOLDERS) tree.makeFolder(name)
  // A mount of every run lies on it.
  mkdirSync(join(dir, 'root', 'skills'), { mode: 0o755 })
}

/** As it was left, by whichever process. */
export function reopenWorkspace(key: string, dir: string): Workspace | undefined {
  if (!existsSync(join(dir, 'root'))) return undefined
  // Where nobody can tell what was staged, it is staged again.
  return new Workspace(key, dir, readWorkspaceState(dir) ?? createWorkspaceState())
}
