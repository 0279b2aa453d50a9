import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync, readSync, realpathSync, readlinkSync } from 'node:fs'
import { join, isAbsolute } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { readMarkdown } from './markdown-source.ts'
import type { SkillFile, SkillSource } from './source.ts'
import { readToml } from './toml-source.ts'

/** Maximum number of entries in one skill; further entries are reported, not read. */
export const MAX_FILES = 10_000
/** Maximum size of text files to check, in bytes. */
export const MAX_TEXT = 1024 * 1024

/**
 * Changes that apply as if they were already on disk: unsaved text of an editor, or a fix in
 * progress.
 */
export interface Overlay {
  texts: Map<string, string>
  modes: Map<string, number>
  deleted: Set<string>
}

/** Reads one skill's folder: both manifests, the list of files, and text on demand. */
export function readSkillSource(dir: string, overlay?: Overlay): SkillSource {
  // Unsaved text may be the first file of a folder that does not exist yet.
  const isNew = overlay !== undefined && overlay.texts.size > 0 && !existsSync(dir)
  const { files: onDisk, cut } = isNew ? { files: [], cut: false } : listSourceFiles(dir)
  const files = overlay ? applyOverlay(onDisk, overlay) : onDisk
  const listed = new Set(files.map((file) => file.path))
  // Manifests name paths. Those through a linked folder or "..", which are not listed, may lead out.
  const isReadable = (path: string) => listed.has(path) || resolveInside(dir, path) !== undefined
  const texts = new Map<string, string | undefined>(overlay?.texts)
  const read = (path: string): string | undefined => {
    if (overlay?.deleted.has(path)) return undefined
    if (!texts.has(path)) texts.set(path, isReadable(path) ? readTextFile(join(dir, path)) : undefined)
    return texts.get(path)
  }
  const toml = hasFile(files, 'skill.toml') ? read('skill.toml') : undefined
  const markdown = hasFile(files, 'SKILL.md') ? read('SKILL.md') : undefined
  return {
    dir,
    files,
    filesCut: cut,
    read,
    toml: toml === undefined ? undefined : readToml('skill.toml', toml),
    markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
  }
}

function applyOverlay(files: readonly SkillFile[], overlay: Overlay): SkillFile[] {
  const kept = files.filter((file) => !overlay.deleted.has(file.path))
  const paths = new Set(kept.map((file) => file.path))
  for (const path of overlay.texts.keys()) {
    if (!paths.has(path)) kept.push({ path, type: 'file', size: 0, mode: 0o644 })
  }
  const changed = kept.map((file) => {
    const text = overlay.texts.get(file.path)
    const size = text === undefined ? file.size : Buffer.byteLength(text)
    return { ...file, size, mode: overlay.modes.get(file.path) ?? file.mode }
  })
  return changed.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Reads only the two manifests, for a listing. */
export function readSkillFiles(
  dir: string,
): Pick<SkillSource, 'dir' | 'toml' | 'markdown'> & { unreadable: readonly string[] } {
  const unreadable: string[] = []
  const read = (path: string): string | undefined => {
    const stat = lstatSync(join(dir, path), { throwIfNoEntry: false })
    if (!stat) return undefined
    const text = readTextFile(join(dir, path))
    if (text === undefined) unreadable.push(path)
    return text
  }
  const toml = read('skill.toml')
  const markdown = read('SKILL.md')
  return {
    dir,
    toml: toml === undefined ? undefined : readToml('skill.toml', toml),
    markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
    unreadable,
  }
}

function hasFile(files: readonly SkillFile[], path: string): boolean {
  return files.some((file) => file.path === path && file.type === 'file')
}

/** Lists the files of a skill, without reading them and without following links. */
export function listSourceFiles(dir: string): { files: SkillFile[]; cut: boolean } {
  const files: SkillFile[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of listNames(join(dir, folder))) {
      if (files.length >= MAX_FILES) return { files, cut: true }
      const path = folder ? `${folder}/${entry}` : entry
      const stat = lstatSync(join(dir, path), { throwIfNoEntry: false })
      if (!stat) continue
      const type = stat.isFile()
        ? 'file'
        : stat.isDirectory()
          ? 'directory'
          : stat.isSymbolicLink()
            ? 'symlink'
            : 'other'
      const file: SkillFile = { path, type, size: stat.size, mode: stat.mode & 0o7777 }
      if (type === 'symlink') Object.assign(file, followLink(dir, path))
      files.push(file)
      if (type === 'directory') pending.push(path)
    }
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, cut: false }
}

function followLink(dir: string, path: string): Pick<SkillFile, 'linksTo' | 'target'> {
  // A link that leaves the folder and re-enters it by name leads out of a copy of the skill.
  if (leadsOutside(dir, path)) return { linksTo: 'outside' }
  const target = resolveInside(dir, path)
  return target === undefined ? { linksTo: 'nowhere' } : { linksTo: 'inside', target }
}

/** Path of an existing file or folder below the skill, after all links; undefined for others. */
function resolveInside(dir: string, path: string): string | undefined {
  try {
    const base = realpathSync(dir)
    const target = realpathSync(join(dir, path))
    const isInside = target === base || target.startsWith(`${base}/`)
    return isInside ? target.slice(base.length + 1) : undefined
  } catch {
    return undefined
  }
}

function listNames(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch (cause) {
    throwIfExhausted(cause)
    throw new SkillsError('file/unreadable', `Cannot read the folder "${dir}"`, {
      cause,
      hint: `Check its permissions with: ls -ld "${dir}"`,
    })
  }
}

/** Text of a regular file; undefined if it is missing, too large, special or not UTF-8. */
function readTextFile(file: string): string | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    throwIfExhausted(error)
    return undefined
  }
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > MAX_TEXT) return undefined
    const bytes = Buffer.alloc(stat.size)
    let filled = 0
    while (filled < bytes.length) {
      const got = readSync(descriptor, bytes, filled, bytes.length - filled, filled)
      if (got === 0) break
      filled += got
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(0, filled),
    )
  } catch (error) {
    throwIfExhausted(error)
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

/** Links of one path, as in the kernel. */
const MAX_LINKS = 40

/**
 * True if a link of a skill leads out of its folder, whether or not its target exists. Only entries
 * of the skill are looked at: the result contains nothing about other folders.
 */
function leadsOutside(dir: string, path: string): boolean {
  const resolved: string[] = []
  let pending = path.split('/')
  let links = 0
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (resolved.pop() === undefined) return true
      continue
    }
    const written = readLink(join(dir, ...resolved, part))
    if (written === undefined) {
      resolved.push(part)
      continue
    }
    if (isAbsolute(written)) return true
    if (++links > MAX_LINKS) return false
    pending = [...written.split('/'), ...pending]
  }
  return false
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // No link, or nothing at all.
    return undefined
  }
}
