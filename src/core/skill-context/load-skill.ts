import { invalidParamError, SkillsError } from '../../errors.ts'
import { splitReference } from '../skills/reference.ts'
import type { Repository, SkillEntry } from '../skills/repository/repository.ts'
import { changeLoads, findSkillLoad, type LoadChange, type TextStamp } from './change-loads.ts'
import type { AgentLoads, SkillLoad } from './session-state.ts'
import { findDocs, listDocs } from './skill-docs.ts'
import { readTexts, type SkillText } from './skill-texts.ts'

export interface LoadRequest {
  /** A name, or name@version. */
  skill: string
  docs?: readonly string[] | undefined
  include_all_docs?: boolean | undefined
}

export interface SelectRequest extends LoadRequest {
  mode?: string | undefined
}

interface SelectResult {
  skill: string
  selected_docs?: string[]
  include_all_docs?: true
  mode: SelectMode
}

export const SELECT_MODES = ['add', 'replace', 'clear'] as const
type SelectMode = (typeof SELECT_MODES)[number]

/** Options that are the same for all changes of one agent. */
export interface SkillLoadOptions {
  /** Id of the requesting tool call. */
  call?: string | null | undefined
  maxLoaded?: number | undefined
  /** If true, an empty list deselects all documents; from a model it means that none are named. */
  exactDocs?: boolean | undefined
  /** True if loads are shown in one request each. */
  isOnce?: boolean | undefined
}

/** Loads after a change, and the texts of the skill's content. */
export interface ChangedLoads {
  loads: AgentLoads
  texts: readonly SkillText[]
}

type LoaderRepository = Pick<Repository, 'resolve' | 'files' | 'read'>

/** Loads a skill's body and, if documents are named, exactly those. */
export async function loadSkill(
  { repository, loads }: { repository: LoaderRepository; loads: AgentLoads },
  request: LoadRequest,
  options: SkillLoadOptions = {},
): Promise<ChangedLoads> {
  const { name, entry } = await findSkill(repository, request.skill)
  const docs: SkillLoad['docs'] | undefined = request.include_all_docs
    ? '*'
    : request.docs && (request.docs.length > 0 || options.exactDocs)
      ? await resolveDocNames(repository, entry, request.docs)
      : undefined
  const selection = docs ?? findSkillLoad(loads, name).docs
  const texts = await readTexts(
    repository,
    entry,
    await filterExistingDocs(repository, entry, selection),
  )
  const change: LoadChange = {
    skill: name,
    docs,
    load: true,
    texts: texts.map(toTextStamp),
    requested: options.isOnce ? new Set(texts.map((text) => text.doc)) : undefined,
    ...pickChangeOptions(options),
  }
  return { loads: changeLoads(loads, change), texts }
}

/** Changes the selected documents of a skill. They are shown once the skill is loaded. */
export async function selectDocs(
  { repository, loads }: { repository: LoaderRepository; loads: AgentLoads },
  request: SelectRequest,
  options: SkillLoadOptions = {},
): Promise<ChangedLoads & { result: SelectResult }> {
  const { name, entry } = await findSkill(repository, request.skill)
  const mode = parseSelectMode(request.mode)
  const docs = await computeSelection(
    { repository, entry, before: findSkillLoad(loads, name).docs },
    request,
  )
  const texts = await readTexts(repository, entry, docs)
  const change: LoadChange = {
    skill: name,
    docs,
    load: false,
    texts: texts.map(toTextStamp),
    requested: options.isOnce
      ? await listRequestedDocs(repository, entry, { ...request, mode })
      : undefined,
    ...pickChangeOptions(options),
  }
  const result: SelectResult = {
    skill: name,
    ...(docs !== '*' && docs.length > 0 && { selected_docs: docs }),
    ...(docs === '*' && { include_all_docs: true }),
    mode,
  }
  return { loads: changeLoads(loads, change), texts, result }
}

/** Resolves a reference; the name is trimmed and has a version only if the reference has one. */
export async function findSkill(
  repository: Pick<Repository, 'resolve'>,
  reference: string,
): Promise<{ name: string; entry: SkillEntry }> {
  const name = reference.trim()
  if (name === '') {
    throw new SkillsError('params/invalid', "Invalid params: 'skill': skill is required", {
      data: { param: 'skill', reason: 'skill is required' },
    })
  }
  try {
    return { name, entry: await repository.resolve(...splitReference(name)) }
  } catch (error) {
    if (!(error instanceof SkillsError) || error.code !== 'skill/not-found') throw error
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
    throw new SkillsError('skill/not-found', `unknown skill: ${shown}`, {
      hint: error.hint,
      data: { param: 'skill', reason: 'not found' },
      cause: error,
    })
  }
}

interface SelectionContext {
  repository: LoaderRepository
  entry: SkillEntry
  before: SkillLoad['docs']
}

async function computeSelection(
  context: SelectionContext,
  request: SelectRequest,
): Promise<SkillLoad['docs']> {
  const mode = parseSelectMode(request.mode)
  if (mode === 'clear') return []
  if (request.include_all_docs) return '*'
  if (mode === 'replace')
    return await resolveDocNames(context.repository, context.entry, request.docs ?? [])
  if (context.before === '*') {
    await resolveDocNames(context.repository, context.entry, request.docs ?? [])
    return '*'
  }
  const before = await filterExistingDocs(context.repository, context.entry, context.before)
  return await resolveDocNames(context.repository, context.entry, [
    ...before,
    ...(request.docs ?? []),
  ])
}

/** Documents that a change of the selection names, regardless of the earlier selection. */
async function listRequestedDocs(
  repository: LoaderRepository,
  entry: SkillEntry,
  { docs = [], include_all_docs: all, mode }: SelectRequest,
): Promise<ReadonlySet<string>> {
  if (mode === 'clear') return new Set()
  return new Set(
    all ? await listDocs(repository, entry) : await resolveDocNames(repository, entry, docs),
  )
}

async function resolveDocNames(
  repository: LoaderRepository,
  entry: SkillEntry,
  names: readonly string[],
): Promise<string[]> {
  return (await findDocs(repository, entry, names)).map((each) => each.name)
}

/**
 * Documents that were removed from the skill since their selection are dropped without an error.
 */
async function filterExistingDocs(
  repository: LoaderRepository,
  entry: SkillEntry,
  docs: SkillLoad['docs'],
): Promise<SkillLoad['docs']> {
  if (docs === '*') return await listDocs(repository, entry)
  const existing: string[] = []
  for (const doc of docs) {
    const found = await findDocs(repository, entry, [doc]).catch(() => [])
    existing.push(...found.map((each) => each.name))
  }
  return existing
}

function parseSelectMode(mode: string | undefined): SelectMode {
  const normalized = (mode ?? '').trim().toLowerCase() || 'replace'
  const found = SELECT_MODES.find((each) => each === normalized)
  if (found) return found
  const reason = `expected ${SELECT_MODES.join(', ')}, got ${JSON.stringify(mode?.slice(0, 60))}`
  throw invalidParamError('mode', reason)
}

function pickChangeOptions(options: SkillLoadOptions): Pick<LoadChange, 'call' | 'maxLoaded'> {
  return { call: options.call ?? null, maxLoaded: options.maxLoaded }
}

/** The state stores the digest of a text, never the text. */
function toTextStamp({ doc, digest }: SkillText): TextStamp {
  return { doc, digest }
}
