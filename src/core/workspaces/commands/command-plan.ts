import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ProgramJob, ProgramSinks, SharedSandboxUse } from '../../runs/job.ts'
import type { MountedSkill } from '../../skills/mounted-skill.ts'
import type { ProgramFile } from '../../sandbox/backend.ts'
import { GUEST_FOLDERS } from '../../sandbox/guest-host/guest-job.ts'
import { invalidParamError } from '../../../errors.ts'
import { checkCommand, scrubEnvironment, type CommandContext } from './command-policy.ts'
import type { Workspace } from '../workspace.ts'

/** PATH of commands, without the programs of their skill. */
export const COMMAND_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Outside of the workspace: start-up files that one sandbox writes are not those of another. */
const COMMAND_HOME = '/tmp/.home'
const EDITOR = '/tmp/skills-editor'
/** Type of terminals, unless the request names one. */
const TERMINAL_TYPE = 'xterm-256color'
const MAX_COMMAND_BYTES = 128 * 1024

/** Warning for a command whose output exceeded the limit of a run. */
export const OUTPUT_DROPPED =
  'the output exceeded the limit of a run: what followed was discarded, and the command went on'

/** Says that an answer lacks output, and which call reads it. */
export function describeCut(name: string, runId: string): string {
  return `${name} truncated: read the rest with runtime.queryOutput {"artifactHandle":"${runId}"}`
}

/** A command to run in a workspace. */
export interface CommandRequest {
  command: string
  /** Relative to the workspace's root. */
  folder: string
  skill?: MountedSkill | undefined
  env?: Readonly<Record<string, string>> | undefined
  stdin: ProgramJob['stdin']
  /** Text that the editor writes if the program starts one. */
  editorText?: string | undefined
  terminal?: { columns: number; rows: number } | undefined
  timeoutMs: number
  /** The session's sandbox; without it, the command gets one of its own. */
  shared?: SharedSandboxUse | undefined
  /** Receives permissions that the command does not get, and why. */
  onNote?: ((text: string) => void) | undefined
  /** Parameters stored in the run record. */
  asked: PlainObject
  sinks: ProgramSinks
}

/** Plans the run of a command; throws if the operator's lists deny it. */
export function planCommand(
  workspace: Workspace,
  request: CommandRequest,
  config: Config['workspace'],
): ProgramJob {
  const { command, skill } = request
  const skills = skill ? [skill] : []
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES || command.includes('\0')) {
    throw invalidParamError('command', `expected at most ${MAX_COMMAND_BYTES} bytes without NUL`)
  }
  const lists = { allowed: config.allowedCommands, denied: config.deniedCommands }
  const isListed = lists.allowed.length + lists.denied.length > 0
  if (isListed) checkCommand(command, lists, createCommandContext(workspace, request))
  const variables = isListed ? scrubEnvironment(request.env ?? {}) : (request.env ?? {})
  const runDir = `${GUEST_FOLDERS.workspace}/runs/${createRunName()}`
  const editor = createEditor(request)
  return {
    kind: 'workspace',
    recordedArgs: request.asked,
    program: {
      argv: [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-c', command],
      cwd:
        request.folder === ''
          ? GUEST_FOLDERS.workspace
          : `${GUEST_FOLDERS.workspace}/${request.folder}`,
      prepare: { folders: [runDir, COMMAND_HOME], files: editor.files },
      env: {
        ...(request.terminal && { TERM: TERMINAL_TYPE }),
        ...buildEnvironment(skill, runDir, variables),
        ...editor.env,
      },
      terminal: request.terminal,
    },
    stdin: request.stdin,
    skills,
    mountsSkills: false,
    folders: workspace.listMounts(config.hostRoots, skills),
    workspace: { source: workspace.root },
    inputBlobs: [],
    limits: { wallMs: request.timeoutMs },
    dropsOutput: true,
    shared: request.shared,
    onNote: request.onNote,
    sinks: request.sinks,
  }
}

/**
 * The skill's bin/ comes last in PATH, so a bare name refers to it only if no other folder contains
 * that program.
 */
function createCommandContext(
  workspace: Workspace,
  { folder, skill }: CommandRequest,
): CommandContext {
  const name = skill?.manifest.name
  if (name === undefined) return { folder }
  const packages = [
    `${workspace.root}/${workspace.packagesFolder(name)}`,
    `${workspace.copyFolder(name)}/.venv`,
  ]
  const others = [...packages.map((each) => `${each}/bin`), ...COMMAND_PATH.split(':')]
  return {
    folder,
    skill: name,
    isOwnProgram: (program) =>
      existsSync(`${skill?.dir}/bin/${program}`) &&
      !others.some((each) => existsSync(`${each}/${program}`)),
  }
}

function buildEnvironment(
  skill: MountedSkill | undefined,
  runDir: string,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const top = GUEST_FOLDERS.workspace
  const folders = {
    WORKSPACE_DIR: top,
    SKILLS_DIR: `${top}/skills`,
    WORK_DIR: `${top}/work`,
    OUTPUT_DIR: `${top}/out`,
    RUN_DIR: runDir,
    HOME: COMMAND_HOME,
    PYTHONNOUSERSITE: '1',
  }
  for (const [name, value] of Object.entries(variables)) {
    if (name === '' || /[=\0]/.test(name) || value.includes('\0')) {
      throw invalidParamError('env', `"${name.slice(0, 100)}" is not a valid environment variable`)
    }
  }
  const path = variables['PATH'] ?? COMMAND_PATH
  if (!skill) return { ...folders, ...variables, PATH: path }
  const own = `${top}/skills/${skill.manifest.name}`
  return {
    ...folders,
    SKILL_NAME: skill.manifest.name,
    VIRTUAL_ENV: `${own}/.venv`,
    ...variables,
    PATH: [`${own}/.venv/bin`, path, `${own}/bin`].filter((each) => each !== '').join(':'),
  }
}

/** An editor that writes a fixed text and exits. */
function createEditor({ editorText, env = {} }: CommandRequest): {
  files: ProgramFile[]
  env: Record<string, string>
} {
  if (editorText === undefined || editorText === '') return { files: [], env: {} }
  for (const name of ['EDITOR', 'VISUAL']) {
    if (env[name] !== undefined) {
      throw invalidParamError('editor_text', `editor_text cannot be combined with env.${name}`)
    }
  }
  // Commands of a session share /tmp.
  const editor = `${EDITOR}-${randomBytes(8).toString('hex')}`
  const text = `${editor}-text`
  const script = `#!/bin/sh\nfor file; do :; done\nexec cat ${text} > "$file"\n`
  return {
    files: [
      { path: text, text: editorText, isProgram: false },
      { path: editor, text: script, isProgram: true },
    ],
    env: { EDITOR: editor, VISUAL: editor },
  }
}

/** `run_20261121T101500.123_ab12`: sortable by time, and unique for concurrent runs. */
function createRunName(): string {
  const now = new Date().toISOString().replaceAll(/[-:Z]/g, '')
  return `run_${now}_${randomBytes(2).toString('hex')}`
}
