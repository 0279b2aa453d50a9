import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createOwnName } from '../../../util/leftovers.ts'
import { digestFolder } from '../../skills/content/read-content.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import { copyFolder } from '../../sandbox/rootfs/copy-folder.ts'
import { copySkill } from '../../sandbox/rootfs/stage-files.ts'
import { getPrivateTarget, hasSecrets, type Workspace } from '../workspace.ts'
import { removeSharedFolder } from './remove-shared-folder.ts'
import { OutsideWorkspaceError } from './workspace-tree.ts'

/** Symlinks in a skill's folder; they replace the skill's files of the same names. */
const SKILL_LINKS: Readonly<Record<string, string>> = {
  out: '../../out',
  work: '../../work',
  inputs: '../../work/inputs',
}
const PACKAGES = '.venv'
const MAX_TRIES = 10

/**
 * Copies a skill into a workspace, unless identical files are there already. A skill with secrets has
 * no working copy, which other commands of the session could change.
 */
export async function stageSkill(
  workspace: Workspace,
  skill: MountedSkill,
  wantsCopy: boolean,
): Promise<void> {
  const { dir, requireUnchanged } = skill
  const { name } = skill.manifest
  const isPrivate = hasSecrets(skill)
  const isCopy = wantsCopy && !isPrivate
  const packages = isPrivate ? getPrivateTarget(name) : `../../${workspace.packagesFolder(name)}`
  const stage = async () => {
    const digest = await digestFolder(dir)
    requireUnchanged?.()
    const before = workspace.state.skills[name]
    const isThere = hasLayout(join(workspace.skills, name), isCopy ? undefined : packages)
    if (isPrivate) await makePrivatePackages(workspace, name, before?.hasPrivatePackages === true)
    else if (!isCopy) await makePackagesFolder(workspace, name)
    if (before?.digest === digest && before.isCopy === isCopy && isThere) return
    await (isCopy ? stageCopy(workspace, name, dir) : stageReadOnly(workspace, skill, packages))
    requireUnchanged?.()
    const stagedAt = new Date().toISOString()
    const staged = { digest, isCopy, hasPrivatePackages: isPrivate, stagedAt }
    workspace.update(({ skills }) => ({ skills: { ...skills, [name]: staged } }))
  }
  const attributes = { 'skills.skill.name': name, 'skills.workspace.is_copy': isCopy }
  await workspace.runInTurn('staging', async () => {
    await workspace.spans.record({ name: 'workspace.stage.skill', attributes }, stage)
  })
}

async function stageReadOnly(
  workspace: Workspace,
  { manifest: { name }, dir }: MountedSkill,
  packages: string,
): Promise<void> {
  const draft = join(workspace.skills, `.${createOwnName()}`)
  copySkill(dir, draft)
  addWorkspaceLinks(draft)
  // A link instead of a mount: a living sandbox shows skills that are loaded later, too.
  symlinkSync(packages, join(draft, PACKAGES))
  await replaceFolder(join(workspace.skills, name), draft)
}

/** A new copy discards the changes that commands made to the old one. */
async function stageCopy(workspace: Workspace, name: string, dir: string): Promise<void> {
  // Rejects skills that cannot run, with the same errors as a read-only copy.
  const checked = join(workspace.skills, `.${createOwnName()}`)
  copySkill(dir, checked)
  addWorkspaceLinks(checked)
  mkdirSync(join(checked, PACKAGES), { mode: 0o755 })
  const copies = workspace.copyFolder('')
  const draft = join(copies, `.${createOwnName()}`)
  const user = await workspace.user()
  const options = { maxBytes: Infinity, isFaithful: true, user }
  await copyFolder(Buffer.from(checked), Buffer.from(draft), options)
  await rm(checked, { recursive: true, force: true })
  await replaceFolder(workspace.copyFolder(name), draft)
  const mountPoint = join(workspace.skills, `.${createOwnName()}`)
  mkdirSync(mountPoint, { mode: 0o755 })
  await replaceFolder(join(workspace.skills, name), mountPoint)
}

function addWorkspaceLinks(folder: string): void {
  for (const [name, target] of Object.entries(SKILL_LINKS)) {
    rmSync(join(folder, name), { recursive: true, force: true })
    symlinkSync(target, join(folder, name))
  }
  rmSync(join(folder, PACKAGES), { recursive: true, force: true })
}

/** True if a skill is staged with this link to its packages, or as a working copy if there is none. */
function hasLayout(folder: string, packages: string | undefined): boolean {
  if (packages === undefined) return existsSync(folder)
  const link = join(folder, PACKAGES)
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink && readlinkSync(link) === packages
}

async function makePrivatePackages(
  workspace: Workspace,
  name: string,
  isPrivate: boolean,
): Promise<void> {
  const folder = workspace.privatePackages(name)
  if (isPrivate && existsSync(folder)) return
  // Others could write to a working copy of the time when the skill had no secrets.
  rmSync(workspace.copyFolder(name), { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const user = await workspace.user()
  if (user !== undefined) chownSync(folder, user, user)
}

/** Commands may have replaced it by something else, which then stays. */
async function makePackagesFolder(workspace: Workspace, name: string): Promise<void> {
  try {
    ;(await workspace.tree()).makeFolder(workspace.packagesFolder(name))
  } catch (error) {
    if (!(error instanceof OutsideWorkspaceError)) throw error
  }
}

/** Commands that are still running keep the old folder. */
async function replaceFolder(target: string, draft: string): Promise<void> {
  const trash = `${draft}.old`
  for (let tries = 1; ; tries++) {
    if (existsSync(target)) renameSync(target, `${trash}${tries}`)
    try {
      renameSync(draft, target)
      break
    } catch (error) {
      // Another process has created its own copy meanwhile.
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['EEXIST', 'ENOTEMPTY'].includes(code) || tries === MAX_TRIES) throw error
    } finally {
      // Entries that commands keep in it are removed with the workspace.
      await removeSharedFolder(`${trash}${tries}`)
    }
  }
}
