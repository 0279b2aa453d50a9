import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { digestFolder } from '../core/skills/content/read-content.ts'
import { SkillsError } from '../errors.ts'
import { formatEdits, writeEdits, type ProposedEdit } from './edits.ts'
import type { Measurement } from './measure.ts'

/** A saved proposal. */
export interface Proposal {
  id: string
  skill: string
  /** Absolute folder of the skill. */
  folder: string
  /** Digest of the skill for which the proposal was made. */
  base: string
  summary: string
  edits: readonly ProposedEdit[]
  before: Measurement
  after: Measurement
  /** Reasons for which it cannot be applied. */
  regressions: readonly string[]
  /** Mean scores of the evals, if they ran. */
  evals?: { before: number; after: number } | undefined
  /** Keys of the manifests that decide what runs may do, before and after. */
  permissions: readonly string[]
}

const ID = /^[0-9a-f]{12}$/

/** Applies edits to a copy of a skill, passes it to `use`, and removes it. */
export async function useEditedCopy<T>(
  folder: string,
  edits: readonly ProposedEdit[],
  use: (copy: string) => Promise<T>,
): Promise<T> {
  const parent = mkdtempSync(join(tmpdir(), 'skills-evolve-'))
  const copy = join(parent, basename(folder))
  try {
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
    writeEdits(copy, edits)
    return await use(copy)
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

/** Saves a proposal with its diff, and returns its folder. */
export function saveProposal(
  dataDir: string,
  proposal: Omit<Proposal, 'id'>,
): { id: string; folder: string } {
  const id = randomBytes(6).toString('hex')
  const folder = join(getProposalsFolder(dataDir), id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'proposal.json'), `${JSON.stringify({ id, ...proposal }, null, 2)}\n`)
  writeFileSync(join(folder, 'changes.diff'), formatEdits(proposal.folder, proposal.edits))
  return { id, folder }
}

export function readProposal(dataDir: string, id: string): Proposal {
  const file = join(getProposalsFolder(dataDir), id, 'proposal.json')
  if (!ID.test(id) || !existsSync(file)) {
    const known = existsSync(getProposalsFolder(dataDir))
      ? readdirSync(getProposalsFolder(dataDir))
      : []
    throw new SkillsError('usage/invalid', `The proposal "${id.slice(0, 40)}" does not exist`, {
      hint:
        known.length === 0
          ? 'Type "skills evolve <skill> --model …" to make one'
          : `The proposals are ${known.slice(-5).join(', ')}`,
    })
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Proposal
}

function getProposalsFolder(dataDir: string): string {
  return join(dataDir, 'proposals')
}

/** Refuses a proposal that is worse than the skill, or that was made for another state of it. */
export async function checkProposal({
  base,
  folder,
  regressions,
}: Pick<Proposal, 'base' | 'folder' | 'regressions'>): Promise<void> {
  const [first] = regressions
  if (first !== undefined) {
    throw new SkillsError('policy/denied', `The proposal cannot be applied: ${first}`, {
      hint: 'Ask for another proposal',
    })
  }
  if ((await digestFolder(folder)) !== base) {
    throw new SkillsError('skill/changed', 'The skill has changed since the proposal was made', {
      hint: 'Ask for another proposal',
    })
  }
}
