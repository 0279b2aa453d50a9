import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { SkillsError } from '../../errors.ts'
import {
  CLIENTS,
  type ClientName,
  type Scope,
  type ServerEntry,
  type Surroundings,
} from './clients.ts'
import { editJson } from './edit-json.ts'
import { editToml } from './edit-toml.ts'

export interface InstallRequest {
  client: ClientName
  scope: Scope
  /** Of the server among the client's. */
  name: string
  entry: ServerEntry
}

/** A change of a client's configuration that was not made yet. */
export interface InstallPlan {
  title: string
  /** The file behind all links. */
  file: string
  /** Undefined where there is no such file yet. */
  before: string | undefined
  after: string
  /** What is left to be done by hand. */
  next: string
}

/** Larger than anybody's configuration. */
const MAX_BYTES = 16 * 1024 ** 2

/** Reads what is there and works out what it would be. Throws where it cannot be sure of either. */
export function planInstall(request: InstallRequest, at: Surroundings): InstallPlan {
  const client = CLIENTS[request.client]
  const path = client.file(at, request.scope)
  if (path === undefined) {
    throw new SkillsError('usage/invalid', `${client.title} has no configuration of a project`, {
      hint: 'Leave out --scope',
    })
  }
  const { file, text } = readConfig(path)
  const edit = { client, name: request.name, entry: request.entry, file }
  const after = client.format === 'json' ? editJson(text ?? '', edit) : editToml(text ?? '', edit)
  return { title: client.title, file, before: text, after, next: client.next }
}

/** What belongs into a client's configuration, by itself. */
export function snippetFor({ client: word, name, entry }: InstallRequest): string {
  const client = CLIENTS[word]
  const edit = { client, name, entry, file: 'it' }
  return client.format === 'json' ? editJson('', edit) : editToml('', edit)
}

function readConfig(path: string): { file: string; text: string | undefined } {
  let file = path
  try {
    // A link stays one: what it leads to is changed.
    file = realpathSync(path)
    const stat = statSync(file)
    if (!stat.isFile()) throw unreadable(path, 'it is no regular file')
    if (stat.size > MAX_BYTES) throw unreadable(path, 'it is too large')
    const bytes = readFileSync(file)
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (thrown) {
    if (thrown instanceof SkillsError) throw thrown
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isDangling(path)) return { file, text: undefined }
    throw unreadable(path, REASONS[code ?? ''] ?? code ?? 'unknown reason')
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is a link to nothing',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is no UTF-8',
}

function isDangling(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined && isThere(path)
  } catch {
    return false
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function unreadable(path: string, why: string): SkillsError {
  return new SkillsError('config/invalid', `Cannot read "${path}": ${why}`, {
    hint: 'Add --print to see what belongs into it',
  })
}
