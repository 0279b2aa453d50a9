import type { PlainObject } from '../../skills/manifest/manifest.ts'
import { BASE_ENVIRONMENT } from '../base-environment.ts'
import { resolveTargetLanguage, type FunctionJob } from '../job.ts'
import type { Permissions } from '../resolve-permissions.ts'
import type { InteractiveRun } from '../run-call.ts'
import type { ActionProgram } from '../supervise/action-program.ts'

/** Keys that bind the channel and the blobs to a run. */
export interface RunKeys {
  channel: Buffer
  blobs: Buffer
}

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
  { target, skills, args }: Pick<FunctionJob, 'target' | 'skills'> & { args: PlainObject },
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
    ...(paths && { dependencies: [...paths] }),
    ...(program && { program: [...program.argv] }),
    ...(interactive && { interactive }),
    ...(inspect && { inspect }),
    env: {
      ...BASE_ENVIRONMENT,
      ...program?.environment,
      ...addPackagePaths(permissions.environment, paths),
      ...permissions.secrets,
    },
    key: keys.channel.toString('hex'),
    blob_secret: keys.blobs.toString('hex'),
  }
}

/** Adds the packages to PYTHONPATH, so that Python processes of the code find them too. */
function addPackagePaths(
  environment: Readonly<Record<string, string>>,
  paths: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  if (!paths) return environment
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
