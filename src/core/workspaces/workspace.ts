import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostFolder } from '../sandbox/backend.ts'
import { GUEST_FOLDERS } from '../sandbox/guest-host/guest-job.ts'
import type { Spans } from '../../util/spans.ts'
import type { MountedSkill } from '../skills/mounted-skill.ts'
import { isBelowAny } from './files/host-roots.ts'
import { WorkspaceTree } from './files/workspace-tree.ts'
import {
  createWorkspaceState,
  readWorkspaceState,
  writeWorkspaceState,
  type WorkspaceState,
} from './workspace-state.ts'

/** Folders of every workspace, besides staged content. */
const OWN_FOLDERS = ['work', 'work/inputs', 'out', 'runs']

/** Folders of one workspace. */
export interface WorkspaceLocation {
  key: string
  dir: string
  userArtifacts: string
  spans: Spans
}

/** The folder of one session: the part that commands see as /workspace, and its internal data. */
export class Workspace {
  readonly key: string
  /** Contains everything; only this process's user may enter it. */
  readonly dir: string
  /** Artifacts of the caller, which all of the caller's sessions share. */
  readonly userArtifacts: string
  readonly spans: Spans
  #state: WorkspaceState
  #turns = new Map<'staging' | 'preparing', Promise<unknown>>()

  constructor(location: WorkspaceLocation, state: WorkspaceState) {
    this.key = location.key
    this.dir = location.dir
    this.userArtifacts = location.userArtifacts
    this.spans = location.spans
    this.#state = state
  }

  get state(): WorkspaceState {
    return this.#state
  }

  /** The part to which commands can write. */
  get root(): string {
    return join(this.dir, 'root')
  }

  /** Staged skills, which are read-only for commands. */
  get skills(): string {
    return join(this.dir, 'skills')
  }

  get artifacts(): string {
    return join(this.dir, 'artifacts')
  }

  /** Folder of a skill's working copy. */
  copyFolder(skill: string): string {
    return join(this.dir, 'copies', skill)
  }

  /** Folder of a skill's installed packages, relative to the root; not that of a skill with secrets. */
  packagesFolder(skill: string): string {
    return `.venvs/${skill}`
  }

  /** Installed packages of a skill with secrets, whose own commands alone see them. */
  privatePackages(skill: string): string {
    return join(this.copyFolder(skill), '.venv')
  }

  /** Changes the state, including changes by other processes; on failure it is unchanged. */
  update(change: (state: WorkspaceState) => Partial<WorkspaceState>): void {
    this.reload()
    this.#state = { ...this.#state, ...change(this.#state), usedAt: new Date().toISOString() }
    writeWorkspaceState(this.dir, this.#state)
  }

  /** Reads changes by other processes. */
  reload(): void {
    this.#state = readWorkspaceState(this.dir) ?? this.#state
  }

  /** Serializes work of one kind, so that nothing is staged twice. */
  async runInTurn<T>(kind: 'staging' | 'preparing', work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(kind) ?? Promise.resolve()
    const turn = before.catch(() => {}).then(work)
    this.#turns.set(kind, turn)
    return await turn
  }

  /** The workspace's files as commands see them. */
  async tree(): Promise<WorkspaceTree> {
    const mounts = new Map(this.#listSkillMounts().map((mount) => [mount.target, mount]))
    return new WorkspaceTree({
      root: this.root,
      mounts,
      user: await this.user(),
      spans: this.spans,
    })
  }

  /** User id of commands, if it is not this process's; known once the workspace exists. */
  async user(): Promise<number | undefined> {
    const { uid } = await lstat(this.root)
    return uid === process.getuid?.() ? undefined : uid
  }

  /**
   * Mounts of a command of some skills, besides the root. Folders of the workspace are mounts in every
   * run, so that commands cannot move them.
   */
  listMounts(hostRoots: readonly string[], skills: readonly MountedSkill[]): HostFolder[] {
    // Links to folders that are no longer configured are not mounted.
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
        isLive: !isWritable,
      })),
      ...links.map(([name, source]): HostFolder => ({
        source,
        target: `/inputs/${name}`,
        mode: 'read-only',
      })),
      ...skills.filter(hasSecrets).map(({ manifest: { name } }): HostFolder => ({
        source: this.privatePackages(name),
        target: getPrivateTarget(name),
        mode: 'read-write',
        isCounted: true,
      })),
    ]
  }

  #listSkillMounts(): { source: string; target: string; isWritable: boolean }[] {
    const copies = Object.entries(this.#state.skills).filter(([, { isCopy }]) => isCopy)
    return [
      { source: this.skills, target: 'skills', isWritable: false },
      ...copies.map(([name]) => ({
        source: this.copyFolder(name),
        target: `skills/${name}`,
        isWritable: true,
      })),
    ]
  }
}

/** True if other commands of the session must not choose the programs of a skill's commands. */
export function hasSecrets({ manifest: { permissions } }: MountedSkill): boolean {
  return permissions.secrets.length > 0
}

/** Place of the packages of a skill with secrets, outside of what other commands can write. */
export function getPrivateTarget(skill: string): string {
  return `/venvs/${skill}`
}

/** Creates the folders of a new workspace. */
export async function createWorkspaceFolders(
  dir: string,
  changeOwner: (root: string) => void,
): Promise<void> {
  for (const name of ['root', 'skills', 'copies', 'artifacts']) {
    mkdirSync(join(dir, name), { mode: 0o755 })
  }
  changeOwner(join(dir, 'root'))
  const { uid } = await lstat(join(dir, 'root'))
  const user = uid === process.getuid?.() ? undefined : uid
  const tree = new WorkspaceTree({ root: join(dir, 'root'), mounts: new Map(), user })
  for (const name of OWN_FOLDERS) tree.makeFolder(name)
  // Mount point of the staged skills.
  mkdirSync(join(dir, 'root', 'skills'), { mode: 0o755 })
}

/** Opens an existing workspace; undefined if there is none. */
export function reopenWorkspace(location: WorkspaceLocation): Workspace | undefined {
  const { dir } = location
  if (!existsSync(join(dir, 'root'))) return undefined
  // Without a readable state everything is staged again.
  return new Workspace(location, readWorkspaceState(dir) ?? createWorkspaceState())
}
