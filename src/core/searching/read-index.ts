import { existsSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import { hasScheme } from '../config/roots/root-source.ts'
import { checkAddress } from '../sources/check-address.ts'
import { downloadFile } from '../sources/download.ts'
import { indexError, parseIndex, type OfferedEntry, type ParsedIndex } from './parse-index.ts'
import { decodePercents } from '../../util/text/decode-percents.ts'

/** An index, and how its skills are installed. */
export interface ReadIndex extends ParsedIndex {
  /** Source for "skills install"; undefined if it cannot be named. */
  formatSource(entry: OfferedEntry): string | undefined
}

interface ReadIndexOptions {
  signal: AbortSignal
  timeoutMs: number
}

const WELL_KNOWN = '.well-known/agent-skills/index.json'
const MAX_BYTES = 8 * 1024 ** 2

/** Reads an index: the address or the folder of a site, or its index.json. */
export async function readIndex(text: string, options: ReadIndexOptions): Promise<ReadIndex> {
  return hasScheme(text) ? await downloadIndex(text, options) : readIndexFile(text)
}

async function downloadIndex(
  text: string,
  { signal, timeoutMs }: ReadIndexOptions,
): Promise<ReadIndex> {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) {
    throw new SkillsError('config/invalid', `The index "${text}" cannot be asked`, {
      hint: 'Write the address of a site, such as https://example.com, or a folder',
    })
  }
  const base = new URL(text)
  checkAddress(base, text)
  base.hash = ''
  const isFile = base.pathname.endsWith('.json')
  if (!isFile && !base.pathname.endsWith('/')) base.pathname += '/'
  const url = isFile ? base : new URL(WELL_KNOWN, base)
  const bytes = await downloadFile(url, { bytes: MAX_BYTES, timeoutMs }, signal)
  if (!bytes) throw indexError(url.href, 'the server does not have it')
  const site = url.href.endsWith(WELL_KNOWN) ? url.href.slice(0, -WELL_KNOWN.length) : undefined
  return {
    ...parseIndex(bytes.toString('utf8'), url.href),
    formatSource: ({ name }) => site && formatSite(site, name),
  }
}

/** Without a version, so that "skills update" finds newer ones. */
function formatSite(site: string, name: string): string {
  return `${site.replace(/\/$/, '')}#${name}`
}

function readIndexFile(path: string): ReadIndex {
  const file = findIndexFile(path)
  const bytes = file === undefined ? undefined : readUpTo(file, MAX_BYTES)
  if (file === undefined) throw indexError(path, `it has no ${WELL_KNOWN}`)
  if (!bytes) throw indexError(file, `it has more than ${MAX_BYTES} bytes`)
  const site = file.endsWith(`${sep}${WELL_KNOWN}`) ? file.slice(0, -WELL_KNOWN.length) : undefined
  return {
    ...parseIndex(bytes.toString('utf8'), file),
    formatSource: ({ url }) => (site !== undefined && url ? findArchive(site, url) : undefined),
  }
}

function findIndexFile(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return existsSync(path) ? path : undefined
  }
  return [WELL_KNOWN, 'index.json'].map((name) => join(path, name)).find(existsSync)
}

/** A file of the site; undefined for an address that leads out of it. */
function findArchive(site: string, url: string): string | undefined {
  const base = 'file:///.well-known/agent-skills/'
  if (!URL.canParse(url, base)) return undefined
  const { protocol, host, pathname } = new URL(url, base)
  if (protocol !== 'file:' || host !== '' || /%2f|%5c|%00/i.test(pathname)) return undefined
  const file = resolve(site, `.${decodePercents(pathname)}`)
  return file.startsWith(resolve(site) + sep) && existsSync(file) ? file : undefined
}
