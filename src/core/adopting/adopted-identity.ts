import { basename } from 'node:path'
import { MAX_NAME } from '../skills/manifest/fields.ts'
import { findUnimportablePart } from '../skills/manifest/module-name.ts'
import type { MarkdownSource } from '../skills/manifest/source.ts'
import { findNameProblem, suggestName } from '../skills/scaffold/skill-name.ts'
import { isSemver } from '../../util/semver.ts'
import { cleanText } from './script-interface.ts'

export interface AdoptedIdentity {
  name: string
  version: string
  description: string
  /** Differences from the front matter, one sentence each. */
  changes: readonly string[]
}

const MAX_DESCRIPTION = 1024

/** Name, version and description by the rules of skill.toml, and what was changed for that. */
export function deriveIdentity(markdown: MarkdownSource | undefined, dir: string): AdoptedIdentity {
  const changes: string[] = []
  const data = markdown?.frontMatter.data ?? {}
  return {
    name: deriveName(data['name'], dir, changes),
    version: deriveVersion(data, changes),
    description: deriveDescription(data['description'], markdown, changes),
    changes,
  }
}

function deriveName(value: unknown, dir: string, changes: string[]): string {
  const written = typeof value === 'string' ? value : ''
  const candidates = [written, basename(dir)].map(toName).filter((each) => each !== undefined)
  const name = candidates[0] ?? 'adopted'
  if (written === '') changes.push(`The name is "${name}", because the front matter has none`)
  else if (name !== written) {
    changes.push(`The name "${cleanText(written, 80)}" becomes "${name}"`)
  }
  return name
}

function toName(written: string): string | undefined {
  const cleaned = cleanText(written, MAX_NAME)
  const name = findNameProblem(cleaned) === undefined ? cleaned : suggestName(cleaned)
  if (name === undefined) return undefined
  const importable = findUnimportablePart(name) === undefined ? name : `skill-${name}`
  return findNameProblem(importable) === undefined ? importable : undefined
}

function deriveVersion(data: Readonly<Record<string, unknown>>, changes: string[]): string {
  const metadata = data['metadata']
  const inner =
    typeof metadata === 'object' && metadata !== null
      ? (metadata as Record<string, unknown>)['version']
      : undefined
  const written = cleanText(formatScalar(data['version'] ?? inner), 60)
  if (isSemver(written)) return written
  const [, major, minor = '0', patch = '0'] =
    /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?$/.exec(written) ?? []
  const number = (text: string) => String(Number(text))
  const version = major === undefined ? '0.1.0' : [major, minor, patch].map(number).join('.')
  const reason = written === '' ? 'because the front matter has none' : `instead of "${written}"`
  changes.push(`The version is "${version}", ${reason}`)
  return version
}

function formatScalar(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function deriveDescription(
  value: unknown,
  markdown: MarkdownSource | undefined,
  changes: string[],
): string {
  const written = typeof value === 'string' ? value : ''
  const cleaned = cleanText(written, MAX_DESCRIPTION)
  if (cleaned !== '') {
    if (cleaned !== written)
      changes.push('The description is in one line, without hidden characters')
    return cleaned
  }
  const body = markdown?.text.slice(markdown.bodyStart, markdown.bodyStart + 4000) ?? ''
  const line = body.split('\n').find((each) => /^[A-Za-z]/.test(each)) ?? ''
  const description = cleanText(line, MAX_DESCRIPTION) || 'An adopted skill without a description.'
  changes.push('The description is from the text, because the front matter has none')
  return description
}
