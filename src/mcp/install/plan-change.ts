import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { SkillsError } from '../../errors.ts'
import {
  CLIENTS,
  type ClientName,
  type InstallScope,
  type ServerEntry,
  type InstallEnvironment,
} from './clients.ts'
import type { ServerRemoval } from './edit.ts'
import { editJson } from './edit-json.ts'
import { editToml } from './edit-toml.ts'
import { removeFromJson } from './remove-json.ts'
import { removeFromToml } from './remove-toml.ts'

interface McpServerRequest {
  client: ClientName
  scope: InstallScope
  /** Name of the server in the client's configuration. */
  name: string
}

interface McpInstallRequest extends McpServerRequest {
  entry: ServerEntry
}

/** A change of a client's configuration that is not yet written. */
export interface McpConfigPlan {
  title: string
  /** Path with all symbolic links resolved. */
  file: string
  /** Undefined if the file does not exist. */
  before: string | undefined
  after: string
  /** Instruction to the user after installation. */
  next: string
}

/** Far larger than any real configuration. */
const MAX_BYTES = 16 * 1024 ** 2

/** Adds or updates the server. Throws if the old or the new configuration is uncertain. */
export function planInstall(
  { entry, ...request }: McpInstallRequest,
  environment: InstallEnvironment,
): McpConfigPlan {
  return planChange(request, environment, (text, removal) => {
    const edit = { ...removal, entry }
    return edit.client.format === 'json' ? editJson(text, edit) : editToml(text, edit)
  })
}

/** Removes the server, if it is there. Throws if it starts another program. */
export function planUninstall(
  request: McpServerRequest,
  environment: InstallEnvironment,
): McpConfigPlan {
  const plan = planChange(request, environment, (text, removal) =>
    removal.client.format === 'json'
      ? removeFromJson(text, removal)
      : removeFromToml(text, removal),
  )
  // Nothing is removed from a file that does not exist.
  return { ...plan, before: plan.before ?? '' }
}

function planChange(
  request: McpServerRequest,
  environment: InstallEnvironment,
  change: (text: string, at: ServerRemoval) => string,
): McpConfigPlan {
  const client = CLIENTS[request.client]
  const path = client.resolveFile(environment, request.scope)
  if (path === undefined) {
    throw new SkillsError('usage/invalid', `${client.title} has no project configuration`, {
      hint: 'Omit --scope',
    })
  }
  const { file, text } = readConfig(path)
  const after = change(text ?? '', { client, name: request.name, file })
  return { title: client.title, file, before: text, after, next: client.next }
}

/** Renders the entry alone, for printing. */
export function renderSnippet({ client: clientName, name, entry }: McpInstallRequest): string {
  const client = CLIENTS[clientName]
  const edit = { client, name, entry, file: 'it' }
  return client.format === 'json' ? editJson('', edit) : editToml('', edit)
}

function readConfig(path: string): { file: string; text: string | undefined } {
  let file = path
  try {
    // A symbolic link is not replaced; its target is changed.
    file = realpathSync(path)
    const stat = statSync(file)
    if (!stat.isFile()) throw unreadableError(path, 'it is not a regular file')
    if (stat.size > MAX_BYTES) throw unreadableError(path, 'it is too large')
    const bytes = readFileSync(file)
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (thrown) {
    if (thrown instanceof SkillsError) throw thrown
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' && !isDanglingLink(path)) return { file, text: undefined }
    throw unreadableError(path, REASONS[code ?? ''] ?? code ?? 'unknown reason')
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is a broken symbolic link',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
}

function isDanglingLink(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined && isListed(path)
  } catch {
    return false
  }
}

function isListed(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function unreadableError(path: string, reason: string): SkillsError {
  return new SkillsError('config/invalid', `Cannot read "${path}": ${reason}`, {
    hint: 'Add --print to see the entry to add',
  })
}
