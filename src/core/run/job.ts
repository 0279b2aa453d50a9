import type { PlainObject } from '../manifest/manifest.ts'
import type { RunRequest } from './run-request.ts'

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

/** What the harness is told, once, before any user code runs; a backend adds folders and limits. */
export function jobOf(request: RunRequest, args: PlainObject, keys: RunKeys): PlainObject {
  return {
    entry: entryOf(request),
    skills: request.mounts.map(({ manifest }) => ({
      name: manifest.name,
      entrypoint: manifest.runtime?.entrypoint ?? null,
    })),
    args,
    env: { ...BASE_ENVIRONMENT, ...request.environment, ...request.secrets },
    key: keys.channel.toString('hex'),
    blob_secret: keys.blobs.toString('hex'),
  }
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
