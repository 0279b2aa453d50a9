import { SkillsError } from '../../../errors.ts'
import { parseStrictJson } from '../../signing/envelope/strict-json.ts'
import { isSkillName } from '../../skills/manifest/fields.ts'
import { parseLockedAgents, type LockedAgent } from '../agents/locked-agent.ts'
import { parseLockedVersion, parseRecordedSource } from '../lock-file.ts'

/** Facts of a pending skill that its files do not have. Signers are not among them: they are verified again. */
export interface PendingSkillRecord {
  name: string
  version: string
  source: string
  resolved: string
  /** `sha256:<hex>` of the archive; null for a folder. */
  archive: string | null
  folder: string
  /** Digest of the files when they were stored. */
  tree: string
  agents: readonly LockedAgent[]
}

const DIGEST = /^sha256:[0-9a-f]{64}$/
const FOLDER = /^[a-z0-9][a-z0-9_-]{0,63}$/

export function formatPendingRecord(record: PendingSkillRecord): string {
  const { name, version, source, resolved, archive, folder, tree, agents } = record
  const facts = { name, version, source, resolved, archive, folder, tree, agents }
  return `${JSON.stringify({ schema: 1, ...facts }, undefined, 2)}\n`
}

export function parsePendingRecord(text: string, file: string): PendingSkillRecord {
  const root = parseStrictJson(text, (problem) => pendingError(file, problem))
  root.only(
    'schema',
    'name',
    'version',
    'source',
    'resolved',
    'archive',
    'folder',
    'tree',
    'agents',
  )
  if (root.at('schema').count() !== 1) throw root.at('schema').refuse('1')
  const name = root.at('name')
  if (!isSkillName(name.text())) throw name.refuse('the name of a skill')
  const archive = root.at('archive')
  return {
    name: name.text(),
    version: parseLockedVersion(root),
    ...parseRecordedSource(root),
    archive: archive.value === null ? null : archive.matching(DIGEST, 'null, or a digest'),
    folder: root.at('folder').matching(FOLDER, 'the name of a folder'),
    tree: root.at('tree').matching(DIGEST, 'a digest'),
    agents: parseLockedAgents(root.at('agents')) ?? [],
  }
}

export function pendingError(file: string, problem: string): SkillsError {
  return new SkillsError('skill/invalid', `The pending skill "${file}" is not valid: ${problem}`, {
    hint: 'Remove its folder, and install the skill from its source again',
  })
}
