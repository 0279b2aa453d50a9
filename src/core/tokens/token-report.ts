import { readBody } from '../skill-context/skill-texts.ts'
import { listDocs } from '../skill-context/skill-docs.ts'
import type { Repository, SkillEntry } from '../skills/repository/repository.ts'
import { toSkillsError } from '../../errors.ts'
import { isText } from '../../util/mime.ts'
import { renderOverview } from '../skill-context/prompt/overview.ts'
import type { CountTokens } from './count-tokens.ts'

/** Tokens of each layer of a skill in a model's context. */
export interface SkillTokens {
  name: string
  version: string
  /** Line of the skill in the overview, which every request contains. */
  overview: number
  /** Body of SKILL.md, in context after the skill is loaded. */
  body: number
  /** All documents; each is in context after it is selected. */
  docs: number
  documents: readonly { path: string; tokens: number }[]
  total: number
}

export interface TokenReport {
  skills: readonly SkillTokens[]
  /** Sums over all skills. */
  totals: { overview: number; body: number; docs: number; total: number }
  ways: DeliveryCosts
  /** Files that could not be counted. */
  skipped: readonly { skill: string; path: string; reason: string }[]
}

/** Tokens of a prompt, by what it contains. */
export interface DeliveryCosts {
  /** The overview only. */
  start: number
  /** The overview and one body of median size. */
  oneSkill: number
  /** Every body in the prompt. */
  bodies: number
  /** Every body and every document in the prompt. */
  everything: number
  /** Fraction that `oneSkill` saves compared with these, from 0 to 1. */
  saved: { bodies: number; everything: number }
}

/** Counts the newest version of every skill. */
export async function reportTokens(
  repository: Repository,
  entries: readonly SkillEntry[],
  count: CountTokens,
): Promise<TokenReport> {
  const skipped: { skill: string; path: string; reason: string }[] = []
  const skills: SkillTokens[] = []
  for (const entry of selectNewestVersions(entries)) {
    const body = await countOrSkip(entry, 'SKILL.md', async () =>
      count((await readBody(repository, entry)).text),
    )
    const documents: { path: string; tokens: number }[] = []
    for (const path of await listDocs(repository, entry)) {
      const tokens = await countOrSkip(entry, path, async () => {
        const { bytes } = await repository.read(entry, path)
        if (!isText(bytes)) throw new Error('not a text file')
        return count(Buffer.from(bytes).toString('utf8'))
      })
      if (tokens !== undefined) documents.push({ path, tokens })
    }
    const docs = documents.reduce((sum, each) => sum + each.tokens, 0)
    const overview = count(formatOverviewLine(entry))
    const { name, version } = entry
    const layers = { overview, body: body ?? 0, docs }
    skills.push({ name, version, ...layers, documents, total: overview + layers.body + docs })
  }
  return buildTokenReport(skills, skipped)

  async function countOrSkip(
    { name }: SkillEntry,
    path: string,
    work: () => Promise<number>,
  ): Promise<number | undefined> {
    try {
      return await work()
    } catch (thrown) {
      const { message, code } = toSkillsError(thrown)
      const reason = code === 'internal/unexpected' ? (thrown as Error).message : message
      skipped.push({ skill: name, path, reason })
      return undefined
    }
  }
}

/** A report of counted skills, the largest first. */
export function buildTokenReport(
  skills: readonly SkillTokens[],
  skipped: TokenReport['skipped'],
): TokenReport {
  const sorted = [...skills].sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
  return { skills: sorted, ...summariseTokens(sorted), skipped }
}

function summariseTokens(skills: readonly SkillTokens[]): Pick<TokenReport, 'totals' | 'ways'> {
  const sum = (layer: 'overview' | 'body' | 'docs' | 'total') =>
    skills.reduce((all, skill) => all + skill[layer], 0)
  const totals = {
    overview: sum('overview'),
    body: sum('body'),
    docs: sum('docs'),
    total: sum('total'),
  }
  const bodies = skills.map((skill) => skill.body).sort((a, b) => a - b)
  const medianBody = bodies[Math.floor((bodies.length - 1) / 2)] ?? 0
  const ways = {
    start: totals.overview,
    oneSkill: totals.overview + medianBody,
    bodies: totals.overview + totals.body,
    everything: totals.total,
  }
  const computeSaving = (against: number) => (against === 0 ? 0 : 1 - ways.oneSkill / against)
  return {
    totals,
    ways: {
      ...ways,
      saved: { bodies: computeSaving(ways.bodies), everything: computeSaving(ways.everything) },
    },
  }
}

function formatOverviewLine({ name, description }: SkillEntry): string {
  return `${renderOverview([{ name, description }]).split('\n').slice(1).join('\n')}\n`
}

/** Entries are ordered by version, newest first. */
function selectNewestVersions(entries: readonly SkillEntry[]): SkillEntry[] {
  const byName = new Map<string, SkillEntry>()
  for (const entry of entries) if (!byName.has(entry.name)) byName.set(entry.name, entry)
  return [...byName.values()]
}
