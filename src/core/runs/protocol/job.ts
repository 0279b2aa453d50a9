import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ActionProgram } from '../action-program.ts'
import type { RunRequest } from '../run-request.ts'
import { languageOfTarget } from '../target-language.ts'

/** The whole environment of a run, but for its folders and what its operator hands through. */
export const BASE_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
}

/** What ties a run's channel and blobs to this run. */
export interface RunKeys {
  channel: Buffer
  blobs: Buffer
}

/** What a job has besides its request. */
export interface JobParts {
  keys: RunKeys
  /** What runs it, unless that is the harness's own interpreter. */
  program: ActionProgram | undefined
}

/** What the harness is told, once, before any user code runs; a backend adds folders and limits. */
export function jobOf(
  request: RunRequest,
  args: PlainObject,
  { keys, program }: JobParts,
): PlainObject {
  const language = languageOfTarget(request.target)
  const paths = request.dependencies?.paths
  return {
    entry: { ...entryOf(request), ...(language !== 'python' && { language }) },
    skills: request.mounts.map(({ manifest }) => ({
      name: manifest.name,
      entrypoint: manifest.runtime?.entrypoint ?? null,
    })),
    args,
    ...(paths && { dependencies: [...paths] }),
    ...(program && { program: [...program.argv] }),
    env: {
      ...BASE_ENVIRONMENT,
      ...program?.environment,
      ...environmentOf(request, paths),
      ...request.secrets,
    },
    key: keys.channel.toString('hex'),
    blob_secret: keys.blobs.toString('hex'),
  }
}

/** Pythons that the code starts find the same packages. */
function environmentOf(
  { environment }: RunRequest,
  paths: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  if (!paths) return environment
  const { PYTHONPATH = '' } = environment
  const all = PYTHONPATH === '' ? paths : [...paths, PYTHONPATH]
  return { ...environment, PYTHONPATH: all.join(':') }
}

function entryOf({ target }: RunRequest): PlainObject {
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
