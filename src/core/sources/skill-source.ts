import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { checkAddress, sourceError } from './check-address.ts'
import type {
  ArchivePlace,
  RemoteSourcePlace,
  SitePlace,
  SkillSourcePlace,
} from './source-place.ts'
import { parseGithub, parseGitUrl, parseNpm, parseOci, parseSite } from './parse-remote.ts'

const DIGEST = /^#sha256=([0-9a-f]{64})$/
const MAX_LENGTH = 2000

/** Parses the source of a command line. */
export function parseSkillSource(text: string, cwd: string): SkillSourcePlace {
  const remote = parseRemoteSource(text)
  if (remote) return remote
  const path = resolve(cwd, text)
  if (!existsSync(path)) throw sourceError(text, 'there is no such folder and no such file')
  return { type: statSync(path).isDirectory() ? 'folder' : 'archive', path }
}

const PARSERS = new Map<string, (text: string) => RemoteSourcePlace>([
  ['https', parseHttp],
  ['http', parseHttp],
  ['github', parseGithub],
  ['git+https', parseGitUrl],
  ['git+file', parseGitUrl],
  ['npm', parseNpm],
  ['oci', parseOci],
])

/** Parses a source with a scheme; undefined for a path. */
export function parseRemoteSource(text: string): RemoteSourcePlace | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return undefined
  if (text.length > MAX_LENGTH || !/^[!-~]+$/.test(text)) {
    const problem = `expected at most ${MAX_LENGTH} printable ASCII characters`
    throw sourceError(text.slice(0, 100).replace(/[^ -~]/g, '?'), problem)
  }
  const parse = PARSERS.get(scheme)
  if (parse) return parse(text)
  throw sourceError(text, 'this kind of source is not known')
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

/** An archive, or with `#name` a skill of a site. */
function parseHttp(text: string): ArchivePlace | SitePlace {
  if (!URL.canParse(text)) throw sourceError(text, 'it is not a valid URL')
  const url = new URL(text)
  checkAddress(url, text)
  const digest = DIGEST.exec(url.hash)?.[1]
  if (url.hash !== '' && digest === undefined) return parseSite(url, text)
  url.hash = ''
  return { type: 'url', url, digest: digest && `sha256:${digest}` }
}
