import { findSkill, loadSkill, type ChangedLoads } from './load-skill.ts'
import type { AgentLoads } from './session-state.ts'
import { SkillsError } from '../../errors.ts'
import type { SkillReader } from './skill-reader.ts'

/** A skill that a turn loads at its start, without a request by a model. */
export interface DeclaredLoad {
  name: string
  /** Selects exactly these documents; if absent, the selection is unchanged. */
  docs?: readonly string[]
  includeAllDocs?: boolean
}

export interface AppliedLoads {
  loads: AgentLoads
  changes: readonly { skill: string; texts: ChangedLoads['texts'] }[]
}

/** Loads the declared skills of a turn: all of them, or none if one fails. */
export async function applyDeclaredLoads(
  context: {
    repository: SkillReader
    loads: AgentLoads
    maxLoaded: number | undefined
    isOnce: boolean
  },
  declared: readonly DeclaredLoad[],
): Promise<AppliedLoads> {
  const merged = mergeDeclarations(declared)
  if (
    context.maxLoaded !== undefined &&
    context.maxLoaded > 0 &&
    merged.length > context.maxLoaded
  ) {
    throw invalidLoadsError(
      `${merged.length} skills are declared, but at most ${context.maxLoaded} can be loaded`,
    )
  }
  let { loads } = context
  const changes: { skill: string; texts: ChangedLoads['texts'] }[] = []
  for (const { name, docs, includeAllDocs } of merged) {
    const request = { skill: name, docs, include_all_docs: includeAllDocs }
    const options = { maxLoaded: context.maxLoaded, isOnce: context.isOnce, exactDocs: true }
    const { name: skill } = await hideMissingReason(findSkill(context.repository, name), name)
    const loaded = await hideMissingReason(loadSkill({ ...context, loads }, request, options), name)
    loads = loaded.loads
    changes.push({ skill, texts: loaded.texts })
  }
  return { loads, changes }
}

/** Equal declarations are merged; different ones for one skill are an error. */
function mergeDeclarations(declared: readonly DeclaredLoad[]): readonly DeclaredLoad[] {
  const byName = new Map<string, DeclaredLoad>()
  for (const load of declared) {
    const checked = { ...load, name: validateDeclaration(load) }
    const before = byName.get(checked.name)
    if (before && serializeSelection(before) !== serializeSelection(checked)) {
      throw invalidLoadsError(`"${checked.name}" is declared twice with different documents`)
    }
    byName.set(checked.name, checked)
  }
  return [...byName.values()]
}

function validateDeclaration({ name, docs, includeAllDocs }: DeclaredLoad): string {
  const trimmed = name.trim()
  if (trimmed === '') throw invalidLoadsError('a load has no name')
  if (!docs) return trimmed
  if (includeAllDocs)
    throw invalidLoadsError(`"${trimmed}" names documents and also selects all of them`)
  if (docs.some((doc) => doc.trim() === ''))
    throw invalidLoadsError(`"${trimmed}" names a blank document`)
  if (new Set(docs.map((doc) => doc.trim())).size < docs.length) {
    throw invalidLoadsError(`"${trimmed}" names a document twice`)
  }
  return trimmed
}

function serializeSelection({ docs, includeAllDocs }: DeclaredLoad): string {
  return JSON.stringify([docs && [...docs].sort(), includeAllDocs === true])
}

/** Missing and hidden skills cause the same error. */
async function hideMissingReason<T>(work: Promise<T>, name: string): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const isMissing =
      cause instanceof SkillsError &&
      cause.outcome.rpc === new SkillsError('skill/not-found', '').outcome.rpc
    if (!isMissing) throw cause
    throw new SkillsError(
      'skill/not-found',
      `Cannot load "${name}": the skill or a named document is not available`,
      {
        hint: 'Run "skills list" to see the skills that were found',
        data: { param: 'loads', reason: 'not available' },
        cause,
      },
    )
  }
}

function invalidLoadsError(reason: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot start the turn: ${reason}`, {
    data: { param: 'loads', reason },
  })
}
