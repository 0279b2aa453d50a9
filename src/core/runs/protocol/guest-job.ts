import type { PlainObject } from '../../skills/manifest/manifest.ts'
import { BASE_ENVIRONMENT } from '../base-environment.ts'
import { resolveTargetLanguage, type FunctionJob } from '../job.ts'
import type { Permissions } from '../resolve-permissions.ts'
import type { ActionProgram } from '../supervise/action-program.ts'

/** What ties a run's channel and blobs to this run. */
export interface RunKeys {
  channel: Buffer
  blobs: Buffer
}

/** What a job has besides its request. */
interface JobParts {
  keys: RunKeys
  /** What runs it, unless that is the harness's own interpreter. */
  program: ActionProgram | undefined
}

/** What the harness is told, once, before any user code runs; a backend adds folders and limits. */
export function buildGuestJob(
  { target, skills, args }: Pick<FunctionJob, 'target' | 'skills'> & { args: PlainObject },
  permissions: Pick<Permissions, 'dependencies' | 'environment' | 'secrets'>,
  { keys, program }: JobParts,
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

/** Pythons that the code starts find the same packages. */
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
    const hint = 'Define the function, or name another with "entrypoint"'
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
