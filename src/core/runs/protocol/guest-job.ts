import { posix } from 'node:path'
import type { ProgramFile } from '../../sandbox/backend.ts'
import { toGuestFile } from '../../sandbox/guest-host/guest-job.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import { BASE_ENVIRONMENT } from '../base-environment.ts'
import {
  resolveTargetLanguage,
  type FixedValues,
  type FunctionJob,
  type KernelUse,
} from '../job.ts'
import { KEY_BYTES } from './frames.ts'
import type { Permissions } from '../resolve-permissions.ts'
import type { InteractiveRun } from '../run-call.ts'
import type { ActionProgram } from '../supervise/action-program.ts'

/** Keys that bind the channel and the blobs to a run. */
export interface RunKeys {
  channel: Buffer
  blobs: Buffer
}

/** Takes the place of the keys until the first cell. */
const NO_KEY = Buffer.alloc(KEY_BYTES).toString('hex')

/** Parts of a job besides its request. */
interface JobParts {
  keys: RunKeys
  /** The program that runs it, if not the interpreter of the harness. */
  program: ActionProgram | undefined
  interactive?: InteractiveRun['mode'] | undefined
  /** Port of the inspector; path of the socket that leads to it, if the sandbox has no network. */
  inspect?: { port: number; socket: string | null } | undefined
}

/**
 * Builds the job that the harness reads before any user code runs. A backend adds folders and
 * limits.
 */
export function buildGuestJob(
  {
    target,
    skills,
    args,
    path = [],
    ...preparation
  }: Pick<FunctionJob, 'target' | 'skills' | 'files' | 'path' | 'fixed' | 'trace'> & {
    args: PlainObject
  },
  permissions: Pick<Permissions, 'dependencies' | 'environment' | 'secrets'>,
  { keys, program, interactive, inspect }: JobParts,
): PlainObject {
  const language = resolveTargetLanguage(target)
  const paths = permissions.dependencies?.paths
  return {
    entry: { ...describeEntry(target), ...(language !== 'python' && { language }) },
    skills: skills.map(({ manifest }) => ({
      name: manifest.name,
      entrypoint: manifest.runtime?.entrypoint ?? null,
    })),
    args,
    ...describePreparation(preparation),
    ...(paths && paths.length > 0 && { dependencies: [...paths] }),
    ...(program && { program: [...program.argv] }),
    ...(interactive && { interactive }),
    ...(inspect && { inspect }),
    env: addFirstFolders(path, {
      ...BASE_ENVIRONMENT,
      ...program?.environment,
      ...addPackagePaths(permissions.environment, paths),
      ...permissions.secrets,
    }),
    key: keys.channel.toString('hex'),
    blob_secret: keys.blobs.toString('hex'),
  }
}

/** Preparations of the guest for tests of a skill, before any user code runs. */
function describePreparation({
  files = [],
  fixed,
  trace,
}: Pick<FunctionJob, 'files' | 'fixed' | 'trace'>): PlainObject {
  return {
    ...(files.length > 0 && { make: listFileFolders(files), write: files.map(toGuestFile) }),
    ...(fixed && { fixed: toGuestValues(fixed) }),
    ...(trace !== undefined && { trace }),
  }
}

function toGuestValues({ seed, nowMs }: FixedValues): PlainObject {
  return { seed, now: nowMs === undefined ? null : nowMs / 1000 }
}

function addFirstFolders(
  folders: readonly string[],
  environment: Readonly<Record<string, string>> & { PATH: string },
): Record<string, string> {
  return { ...environment, PATH: [...folders, environment.PATH].join(':') }
}

/** Folders that must exist before the files. */
function listFileFolders(files: readonly ProgramFile[]): string[] {
  return [...new Set(files.map(({ path }) => posix.dirname(path)))]
}

/** Builds the job of a kernel: each cell brings its own code, arguments and keys. */
export function buildKernelJob(
  job: PlainObject,
  { language }: Pick<KernelUse, 'language'>,
): PlainObject {
  const entry = language === 'python' ? {} : { language }
  return { ...job, entry, args: {}, key: NO_KEY, blob_secret: NO_KEY }
}

/** Adds the packages to PYTHONPATH, so that Python processes of the code find them too. */
function addPackagePaths(
  environment: Readonly<Record<string, string>>,
  paths: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  if (!paths || paths.length === 0) return environment
  const { PYTHONPATH = '' } = environment
  const all = PYTHONPATH === '' ? paths : [...paths, PYTHONPATH]
  return { ...environment, PYTHONPATH: all.join(':') }
}

function describeEntry(target: FunctionJob['target']): PlainObject {
  if (target.kind === 'code') {
    const hint = 'Define the function, or set "entrypoint" to another'
    return { kind: 'code', code: target.code, export: target.entrypoint, hint }
  }
  const { name, runtime } = target.skill.manifest
  return {
    kind: 'skill',
    skill: name,
    entrypoint: runtime?.entrypoint ?? '',
    export: runtime?.export ?? '',
    hint: 'Compare [runtime] in skill.toml',
  }
}
