import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { SkillReadResult, SkillSource } from '@modelcontextprotocol/server/ext/skills'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { readContainedFile } from '../../core/skills/repository/contained-file.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { BUILTIN_SKILLS } from '../../core/open-services.ts'
import { isText } from '../../util/mime.ts'
import type { McpOptions } from '../mcp-options.ts'
import { buildSkill, MAX_BYTES, type BuiltSkill, type ExtensionFile } from './build-skill.ts'
import { takePage } from './page.ts'
import { lookUpUri, hasSameSkills, buildSnapshot, type SkillSnapshot } from './snapshot.ts'

/** The skills of a runtime for the MCP skills extension. */
export interface SkillCatalog {
  readonly extension: SkillsExtension
  /** Reads the skills from disk; unchanged skills are not read again. */
  readSnapshot(): Promise<SkillSnapshot>
  /** True if a snapshot was taken or is being taken. */
  readonly hasSnapshot: boolean
  /** Takes a new snapshot and returns the changed URIs; undefined if nothing changed. */
  findChanges(): Promise<readonly string[] | undefined>
}

/** Number of skills to read before yielding to the event loop. */
const YIELD_EVERY = 20

/** Creates the catalog. Reads nothing until it is used. */
export function createSkillCatalog({ runtime, onNotice }: McpOptions): SkillCatalog {
  let built = new Map<string, BuiltSkill>()
  let reported = new Map<string, string>()
  let before: SkillSnapshot | undefined
  let looking: Promise<SkillSnapshot> | undefined
  const readSkills = async () => {
    const next = new Map<string, BuiltSkill>()
    const omitted = new Map<string, string>()
    for (const entry of await listNewestVersions(runtime.repository)) {
      const skill = await buildSkill(entry, built.get(entry.dir))
      next.set(entry.dir, skill)
      const [reason] = skill.obstacles
      // The guide is offered as a prompt.
      if (reason !== undefined && entry.dir !== BUILTIN_SKILLS) omitted.set(entry.name, reason)
      if (next.size % YIELD_EVERY === 0) await setImmediate()
    }
    for (const [name, reason] of omitted) {
      if (reported.get(name) !== reason) onNotice(`${name} is not offered over MCP`, reason)
    }
    reported = omitted
    built = next
    const carried = [...next.values()].flatMap((each) => (each.offered ? [each.offered] : []))
    return buildSnapshot(carried)
  }
  const current = async () => {
    const pending = (looking ??= readSkills().finally(() => (looking = undefined)))
    const snapshot = await pending
    before ??= snapshot
    return snapshot
  }
  return {
    readSnapshot: current,
    get hasSnapshot() {
      return before !== undefined || looking !== undefined
    },
    extension: new SkillsExtension({
      source: createSkillSource(current),
      cacheHint: { ttlMs: 0, cacheScope: 'private' },
      onWarning: ({ path, message }) => onNotice(`Cannot offer ${path}`, message),
    }),
    async findChanges() {
      if (!before && !looking) {
        // Without an earlier snapshot, the changed URIs are unknown; only the change itself is
        // reported.
        await current()
        return []
      }
      const old = before ?? (await current())
      // A snapshot in progress may have read the file before the edit.
      await looking?.catch(() => {})
      before = undefined
      const now = await current()
      before = now
      return hasSameSkills(old, now) ? undefined : findChangedUris(old, now)
    },
  }
}

/** Clients get the newest version of each skill. */
async function listNewestVersions(repository: McpOptions['runtime']['repository']): Promise<SkillEntry[]> {
  const names = new Set((await repository.list()).map(({ name }) => name))
  const entries: SkillEntry[] = []
  for (const name of names) entries.push(await repository.resolve(name))
  return entries
}

function createSkillSource(current: () => Promise<SkillSnapshot>): SkillSource {
  return {
    async list({ cursor }) {
      const { items, nextCursor } = takePage((await current()).skills, cursor)
      return { skills: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    },
    get: async (uri) => lookUpUri((await current()).byUri, uri),
    async read(uri) {
      const { files, folders } = await current()
      const file = lookUpUri(files, uri)
      if (file) return await readFile(file)
      if (lookUpUri(folders, uri)) {
        throw new ResourceNotFoundError(uri, `"${uri}" is a folder: use resources/directory/read`)
      }
      return undefined
    },
    async readDirectory(uri, { cursor }) {
      const children = lookUpUri((await current()).folders, uri)
      if (!children) return undefined
      const { items, nextCursor } = takePage(children, cursor)
      return { resources: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    },
    listResources: async () => [...(await current()).listed],
  }
}

async function readFile({ dir, path, uri, digest, mimeType }: ExtensionFile): Promise<SkillReadResult> {
  const bytes = await readContainedFile(dir, path, MAX_BYTES).catch(() => undefined)
  const now = bytes && `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  if (!bytes || now !== digest) {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `"${uri}" changed while it was read; read it again`,
    )
  }
  if (!isText(bytes)) return { bytes, mimeType }
  return { text: Buffer.from(bytes).toString('utf8'), mimeType }
}

/** URIs of added, removed and changed files, which include those of the skills. */
function findChangedUris(old: SkillSnapshot, now: SkillSnapshot): string[] {
  const uris = new Set([...old.files.keys(), ...now.files.keys()])
  return [...uris].filter((uri) => old.files.get(uri)?.digest !== now.files.get(uri)?.digest)
}
