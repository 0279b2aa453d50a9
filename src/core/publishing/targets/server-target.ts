import { isDeepStrictEqual } from 'node:util'
import { SkillsError } from '../../../errors.ts'
import type { PackedFile } from '../../packing/packed-file.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import { readToml } from '../../skills/manifest/toml-source.ts'
import type { PublishCall, PublishTarget, SkillRelease } from './publish-target.ts'

/** Requests to a server, whose errors are those of this program. */
export interface ServerConnection {
  /** Versions of a skill; empty if the server has none. */
  listVersions(name: string, call: PublishCall): Promise<readonly string[]>
  /** Reads all files of a version as any client would. */
  readFiles(skill: { name: string; version: string }, call: PublishCall): Promise<PackedFile[]>
  create(upload: ServerUpload, call: PublishCall): Promise<void>
}

/** Parameters of `create_skill`. */
export interface ServerUpload {
  manifest: NonNullable<SkillRelease['manifest']['toml']>
  skill_md: string
  files: { path: string; content: string; encoding?: 'base64' }[]
}

/** The server writes skill.toml in its own form, from the values that it gets. */
const REWRITTEN = ['skill.toml']

/** A `skills serve`, which stores what `create_skill` uploads. The label has no credentials. */
export function openServerTarget(server: ServerConnection, label: string): PublishTarget {
  return {
    label,
    formats: [],
    check: checkUploadable,
    listVersions: async ({ skill }, call) =>
      (await server.listVersions(skill, call)).map((version) => ({
        version,
        tree: undefined,
        yanked: undefined,
      })),
    readFiles: async ({ skill }, version, call) =>
      await server.readFiles({ name: skill, version }, call),
    async plan({ skill, version, entries }, call) {
      const isThere = (await server.listVersions(skill, call)).includes(version)
      const size = entries.reduce((sum, each) => sum + each.size, 0)
      return [{ path: `${skill}@${version}`, action: isThere ? 'keep' : 'create', size }]
    },
    async write(release, call) {
      call.signal.throwIfAborted()
      await server.create(toUpload(release), call)
      call.onWritten({ path: `${release.skill}@${release.version}`, action: 'create' })
    },
    async fetchBack({ skill, version, files: own, bundle }, call) {
      const files = await server.readFiles({ name: skill, version }, call)
      const rewritten = hasSameToml(own, files) ? REWRITTEN : []
      return { files, archives: new Map(), bundle, hasModes: false, rewritten }
    },
  }
}

/** Refuses what `create_skill` cannot store. */
function checkUploadable({ skill, manifest, entries }: SkillRelease): void {
  if (manifest.toml === null) {
    throw new SkillsError(
      'skill/invalid',
      `Cannot publish "${skill}" to a server without skill.toml`,
      { hint: 'Type "skills new" for a skill that has one, or publish to a site' },
    )
  }
  const executable = entries.find(({ mode }) => mode === '100755')
  if (executable) {
    throw new SkillsError(
      'skill/invalid',
      `A server does not store that "${executable.path}" is executable`,
      { hint: `Type: chmod -x ${executable.path}` },
    )
  }
}

function toUpload({ manifest, files }: SkillRelease): ServerUpload {
  const text = (file: PackedFile): string | undefined => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file.bytes)
    } catch {
      return undefined
    }
  }
  const markdown = files.find(({ path }) => path === 'SKILL.md')
  const others = files.filter(({ path }) => path !== 'SKILL.md' && path !== 'skill.toml')
  return {
    manifest: manifest.toml ?? {},
    skill_md: (markdown && text(markdown)) ?? '',
    files: others.map((file) => {
      const content = text(file)
      return content === undefined
        ? {
            path: file.path,
            content: Buffer.from(file.bytes).toString('base64'),
            encoding: 'base64',
          }
        : { path: file.path, content }
    }),
  }
}

function hasSameToml(own: readonly PackedFile[], stored: readonly PackedFile[]): boolean {
  const parse = (files: readonly PackedFile[]): Plain | undefined => {
    const file = files.find(({ path }) => path === 'skill.toml')
    return file && readToml('skill.toml', Buffer.from(file.bytes).toString('utf8')).data
  }
  return isDeepStrictEqual(parse(own), parse(stored))
}
