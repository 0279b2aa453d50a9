import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { sourceError } from './check-address.ts'
import { REMOTE_KINDS, SOURCE_FORMS } from './index.ts'
import type { RemoteSourcePlace, SkillSourcePlace } from './source-place.ts'

const MAX_LENGTH = 2000

/** Parses the source of a command line. */
export function parseSkillSource(text: string, cwd: string): SkillSourcePlace {
  const remote = parseRemoteSource(text)
  if (remote) return remote
  const path = resolve(cwd, text)
  if (!existsSync(path)) throw sourceError(text, 'there is no such folder and no such file')
  return { type: statSync(path).isDirectory() ? 'folder' : 'archive', path }
}

/** Parses a source with a scheme; undefined for a path. */
export function parseRemoteSource(text: string): RemoteSourcePlace | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return undefined
  const forms = SOURCE_FORMS.get(scheme)
  if (text.length > MAX_LENGTH || !/^[!-~]+$/.test(text)) {
    const problem = `expected at most ${MAX_LENGTH} printable ASCII characters`
    throw sourceError(text.slice(0, 100).replace(/[^ -~]/g, '?'), problem, forms)
  }
  const kind = REMOTE_KINDS.find((each) => Object.hasOwn(each.forms, scheme))
  if (kind?.parse) return kind.parse(text)
  throw sourceError(text, 'this kind of source is not known', forms)
}

/** Checks the text of a source in a lock: a path, or an address that can be parsed. */
export function checkRecordedSource(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are refused
  if (text === '' || text.length > MAX_LENGTH || /[\u0000-\u001f\u007f]/.test(text)) {
    throw sourceError(text.slice(0, 100), 'its length or its characters are not valid')
  }
  parseRemoteSource(text)
  return text
}
