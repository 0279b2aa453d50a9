import { isUtf8 } from 'node:buffer'
import { readMarkdown } from '../skills/manifest/markdown-source.ts'
import { MAX_TEXT } from '../skills/manifest/read-source.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { readToml } from '../skills/manifest/toml-source.ts'
import type { PackedFile } from './packed-file.ts'

/** Parses both manifests of a skill whose files are in memory. */
export function parsePackedManifests(
  files: readonly PackedFile[],
): Pick<SkillSource, 'toml' | 'markdown'> {
  const toml = findText(files, 'skill.toml')
  const markdown = findText(files, 'SKILL.md')
  return {
    toml: toml === undefined ? undefined : readToml('skill.toml', toml),
    markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
  }
}

const MANIFESTS = new Set(['skill.toml', 'SKILL.md'])

/** A manifest that is too large, or is not UTF-8 text. */
export function findUnreadableManifest(files: readonly PackedFile[]): PackedFile | undefined {
  return files.find(({ path, bytes }) => {
    return MANIFESTS.has(path) && (bytes.length > MAX_TEXT || !isUtf8(bytes))
  })
}

function findText(files: readonly PackedFile[], name: string): string | undefined {
  const file = files.find(({ path }) => path === name)
  return file && Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length).toString()
}
