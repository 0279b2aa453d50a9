import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import type { WorkspaceCommandSetting, WorkspaceFileSetting } from '../../config/config.ts'
import type { Services } from '../../services.ts'
import { SkillsError } from '../../../errors.ts'
import { describeCommandFailure, notPreparedError } from './not-prepared.ts'
import { runForOperator } from '../commands/run-for-operator.ts'
import { stageSkillByName } from '../commands/resolve-skill.ts'
import { stageInputs } from '../files/stage-inputs.ts'
import { OutsideWorkspaceError, type WorkspaceTree } from '../files/workspace-tree.ts'
import { setMode, writeWorkspaceFile } from '../files/write-file.ts'
import type { Workspace } from '../workspace.ts'
import type { WorkspaceCall } from '../workspaces.ts'

const DEFAULT_MODE = 0o644
/** Maximum bytes of a fingerprinted file. */
const MAX_HASHED = 64 * 1024 ** 2

/** A workspace in which a command is about to run. */
export interface PreparationContext {
  services: Services
  workspace: Workspace
  call: WorkspaceCall
}

/** Writes the operator's files that are missing; returns the warnings of optional ones. */
export async function writePreparedFiles(context: PreparationContext): Promise<string[]> {
  const { files } = context.services.config.workspace
  return await prepareEach(context, files, {
    fingerprint: ({ target, content, from, mode, link, pin }) =>
      JSON.stringify([target, content, from, mode, link, pin, stampHostFile(from)]),
    isThere: (tree, { target }) => tree.withEntry(target, () => true, { follows: false }) === true,
    apply: async (file) => await writePreparedFile(context, file),
  })
}

/** Runs the operator's commands that did not succeed yet, or whose inputs changed. */
export async function runPreparedCommands(context: PreparationContext): Promise<string[]> {
  const { commands } = context.services.config.workspace
  return await prepareEach(context, commands, {
    fingerprint: ({ cmd, args, env, cwd, inputs, salt }, tree) =>
      JSON.stringify([
        cmd,
        args,
        env,
        cwd,
        salt,
        inputs.map((path) => digestWorkspaceFile(tree, path)),
      ]),
    isThere: (tree, { marker, observed }) =>
      [...(marker === undefined ? [] : [marker]), ...observed].every(
        (path) => tree.withEntry(path, () => true) === true,
      ),
    apply: async (command) => await runPreparedCommand(context, command),
  })
}

interface PreparationSteps<T> {
  /** Everything on which the result depends. */
  fingerprint: (each: T, tree: WorkspaceTree) => string
  isThere: (tree: WorkspaceTree, each: T) => boolean
  apply: (each: T) => Promise<void>
}

/** Applies the items one by one, and for one caller at a time. */
async function prepareEach<T extends WorkspaceFileSetting | WorkspaceCommandSetting>(
  { workspace }: PreparationContext,
  all: readonly T[],
  { fingerprint, isThere, apply }: PreparationSteps<T>,
): Promise<string[]> {
  return await workspace.runInTurn('preparing', async () => {
    const warnings: string[] = []
    for (const each of all) {
      const tree = await workspace.tree()
      const applied = workspace.state.prepared?.[each.key]?.fingerprint
      if (applied === hashData(fingerprint(each, tree)) && isThere(tree, each)) continue
      try {
        await apply(each)
        // Computed again, because a command may change its own inputs.
        recordPrepared(workspace, each.key, hashData(fingerprint(each, await workspace.tree())))
      } catch (error) {
        if (!(error instanceof SkillsError) || !each.optional) throw error
        warnings.push(error.message)
      }
    }
    return warnings
  })
}

function recordPrepared(workspace: Workspace, key: string, fingerprint: string): void {
  const preparedAt = new Date().toISOString()
  workspace.update(({ prepared }) => ({
    prepared: { ...prepared, [key]: { fingerprint, preparedAt } },
  }))
}

async function writePreparedFile(
  context: PreparationContext,
  file: WorkspaceFileSetting,
): Promise<void> {
  const { services, workspace } = context
  const { target, content, from, mode, link, pin } = file
  const tree = await workspace.tree()
  try {
    if (from !== undefined) {
      const { workspace: config, run } = services.config
      await stageInputs([{ from, to: target, mode: link ? 'link' : 'copy', pin }], {
        workspace,
        tree,
        hostRoots: config.hostRoots,
        maxBytes: run.limits.workspaceBytes,
        stageSkill: async (name) => await stageSkillByName(services, workspace, name),
      })
      if (mode !== undefined) setMode(tree, target, mode)
      return
    }
    writeWorkspaceFile(tree, target, {
      bytes: Buffer.from(content ?? ''),
      mode: mode ?? DEFAULT_MODE,
    })
  } catch (error) {
    if (!(error instanceof SkillsError) && !(error instanceof OutsideWorkspaceError)) throw error
    throw notPreparedError(`"${target}" cannot be written`, error.message)
  }
}

async function runPreparedCommand(
  context: PreparationContext,
  command: WorkspaceCommandSetting,
): Promise<void> {
  const { services, workspace, call } = context
  const run = await runForOperator(services, { workspace, call }, command)
  if (run.exitCode !== 0) throw notPreparedError(...describeCommandFailure(command, run))
  if (command.marker === undefined) return
  try {
    writeWorkspaceFile(await workspace.tree(), command.marker, { bytes: Buffer.alloc(0) })
  } catch (error) {
    if (!(error instanceof OutsideWorkspaceError)) throw error
    throw notPreparedError(`"${command.marker}" cannot be created`, error.message)
  }
}

/** A changed file of the host is staged again. */
function stampHostFile(from: string | undefined): string {
  if (from?.startsWith('host://') !== true) return ''
  const stat = lstatSync(from.slice('host://'.length), { throwIfNoEntry: false })
  return stat ? `${stat.mtimeMs} ${stat.size}` : ''
}

function digestWorkspaceFile(tree: WorkspaceTree, path: string): string {
  const read = tree.read(path, MAX_HASHED)
  return read ? `${read.size} ${hashData(read.bytes)}` : ''
}

function hashData(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
