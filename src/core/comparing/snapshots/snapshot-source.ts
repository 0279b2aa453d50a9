import { posix } from 'node:path'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import { readToml } from '../../skills/manifest/toml-source.ts'
import type { SkillFile, SkillSource } from '../../skills/manifest/source.ts'
import type { ContentSnapshot, SnapshotFile } from './snapshot.ts'

/** Reads a snapshot as the detectors of lint read a folder. `dir` is its name, not a location. */
export function toSkillSource(snapshot: ContentSnapshot, dir: string): SkillSource {
  const texts = new Map<string, string | undefined>()
  const read = (path: string): string | undefined => {
    if (!texts.has(path)) texts.set(path, decodeSnapshotText(snapshot.files.get(path)))
    return texts.get(path)
  }
  const toml = read('skill.toml')
  const markdown = read('SKILL.md')
  const paths = [...snapshot.files.keys()].sort()
  return {
    dir,
    files: paths.map((path) => toSkillFile(path, snapshot.files.get(path) as SnapshotFile)),
    filesCut: snapshot.omissions.length > 0,
    read,
    toml: toml === undefined ? undefined : readToml('skill.toml', toml),
    markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
  }
}

const FILE_TYPES = { file: 'file', link: 'symlink', special: 'other' } as const

function toSkillFile(path: string, { type, size, mode, target }: SnapshotFile): SkillFile {
  const file: SkillFile = { path, type: FILE_TYPES[type], size, mode }
  if (target === undefined) return file
  return leavesSnapshot(path, target)
    ? { ...file, linksTo: 'outside' }
    : { ...file, linksTo: 'inside' }
}

/** True for a link whose target is not below the skill's folder. */
export function leavesSnapshot(path: string, target: string): boolean {
  if (target.startsWith('/')) return true
  return /^\.\.(?:\/|$)/.test(posix.normalize(posix.join(posix.dirname(path), target)))
}

/** The text of a file; undefined for links, large files, and bytes that are not UTF-8. */
function decodeSnapshotText(file: SnapshotFile | undefined): string | undefined {
  if (file?.type !== 'file' || !file.bytes) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file.bytes)
  } catch {
    return undefined
  }
}
