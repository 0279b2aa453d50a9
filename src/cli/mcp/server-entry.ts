import { existsSync } from 'node:fs'
import process from 'node:process'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SkillsError } from '../../errors.ts'
import { CLIENTS, type ServerEntry } from '../../mcp/install/clients.ts'
import { getFlagOption, getListOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { chooseTools } from './choose-tools.ts'
import type { ClientRequest } from './client-request.ts'

const CLI_SCRIPT = fileURLToPath(new URL('../../../bin/skills.js', import.meta.url))
/** Uses the package that the project or the machine has; it is never downloaded. */
const INSTALLED_PACKAGE = ['--no-install', 'skills-protocol']

/**
 * Builds the command that a client starts. That of a user has the absolute paths of this machine;
 * that of a project is the same on every machine.
 */
export async function buildServerEntry(
  context: Context,
  call: CommandLine,
  request: ClientRequest,
): Promise<ServerEntry> {
  // Unknown tools are rejected now, not when the client starts.
  await chooseTools(call)
  const isShared = request.scope === 'project'
  const { cwd } = context
  const { projectFolder } = CLIENTS[request.client]
  const toPath = isShared
    ? (flag: string, path: string) => toProjectPath({ flag, path, cwd, projectFolder })
    : (_flag: string, path: string) => resolve(cwd, path)
  const args = ['mcp', ...(await buildServerArgs(context, call, toPath))]
  if (!isShared) {
    const project = await findOwnProject(context)
    const selected = project === undefined ? [] : ['--project', project]
    return { command: process.execPath, args: [CLI_SCRIPT, ...args, ...selected] }
  }
  const selected = projectFolder === '.' ? [] : ['--project', projectFolder]
  return { command: 'npx', args: [...INSTALLED_PACKAGE, ...args, ...selected] }
}

type ToPath = (flag: string, path: string) => string

async function buildServerArgs(
  { global }: Context,
  call: CommandLine,
  toPath: ToPath,
): Promise<string[]> {
  const profile = getTextOption(call, 'profile')
  const secrets = getTextOption(call, 'secretsFile')
  return [
    ...global.root.flatMap((root) => ['--root', toPath('--root', root)]),
    ...(global.config === undefined ? [] : ['--config', toPath('--config', global.config)]),
    ...(global.noConfig ? ['--no-config'] : []),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...getListOption(call, 'tool').flatMap((tool) => ['--tool', tool]),
    ...(getFlagOption(call, 'allowNetwork') ? ['--allow-network'] : []),
    ...(secrets === undefined ? [] : ['--secrets-file', toPath('--secrets-file', secrets)]),
  ]
}

/** The project of the working directory; undefined if it has neither configuration nor skills. */
async function findOwnProject(context: Context): Promise<string | undefined> {
  if (context.global.root.length > 0 || context.global.config !== undefined) return undefined
  const { config, files, projectDir } = await openConfig(context)
  const isBelow = (path: string) => path.startsWith(`${projectDir}${sep}`)
  const hasSkills = config.roots.some((root) => isBelow(root) && existsSync(root))
  return hasSkills || files.some(isBelow) ? projectDir : undefined
}

interface ProjectPath {
  flag: string
  path: string
  cwd: string
  projectFolder: string
}

/** A path in the form that the client resolves on every machine. */
function toProjectPath({ flag, path, cwd, projectFolder }: ProjectPath): string {
  const inside = relative(cwd, resolve(cwd, path)).split(sep).join('/')
  if (inside === '..' || inside.startsWith('../') || isAbsolute(inside)) {
    throw new SkillsError(
      'usage/invalid',
      `${flag} ${JSON.stringify(path)} is outside of the project, where other machines have something else`,
      { hint: 'Move it into the project, or configure the client for yourself with --scope user' },
    )
  }
  return inside === '' ? projectFolder : `${projectFolder}/${inside}`
}
