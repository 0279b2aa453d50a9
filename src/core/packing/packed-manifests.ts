import { readMarkdown } from '../skills/manifest/markdown-source.ts'
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

function findText(files: readonly PackedFile[], name: string): string | undefined {
  const file = files.find(({ path }) => path === name)
  return file && Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length).toString()
}
