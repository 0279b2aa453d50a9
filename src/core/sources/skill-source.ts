import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'

/** Place from which a skill is installed. */
export type SkillSourcePlace =
  | { type: 'folder' | 'archive'; path: string }
  | { type: 'url'; url: URL; digest: string | undefined }

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const DIGEST = /^#sha256=([0-9a-f]{64})$/

/** Parses the source of a command line: a folder, an archive, or the URL of an archive. */
export function parseSkillSource(text: string, cwd: string): SkillSourcePlace {
  if (/^https?:\/\//i.test(text)) return parseArchiveUrl(text)
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) {
    throw sourceError(text, 'this kind of source is not known')
  }
  const path = resolve(cwd, text)
  if (!existsSync(path)) throw sourceError(text, 'there is no such folder and no such file')
  return { type: statSync(path).isDirectory() ? 'folder' : 'archive', path }
}

function parseArchiveUrl(text: string): SkillSourcePlace {
  if (!URL.canParse(text)) throw sourceError(text, 'it is not a valid URL')
  const url = new URL(text)
  checkAddress(url, text)
  const digest = DIGEST.exec(url.hash)?.[1]
  if (url.hash !== '' && digest === undefined) {
    throw sourceError(text, 'its fragment is not "#sha256=" and 64 lower-case hexadecimal digits')
  }
  url.hash = ''
  return { type: 'url', url, digest: digest && `sha256:${digest}` }
}

/** Refuses credentials in an address, and http to anything but this machine. */
export function checkAddress(url: URL, shown: string): void {
  if (url.username !== '' || url.password !== '') {
    throw sourceError(shown.replace(/\/\/[^/]*@/, '//…@'), 'it contains a user name')
  }
  const isAllowed =
    url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))
  if (!isAllowed) throw sourceError(shown, 'expected https, or http on this machine')
}

function sourceError(text: string, problem: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot install from "${text}": ${problem}`, {
    hint: 'Write ./folder, ./file.tar.gz, or https://host/file.tar.gz#sha256=…',
  })
}
