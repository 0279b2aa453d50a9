import { hideDeniedSkills } from '../../core/methods/hide-denied-skills.ts'
import type { CompleteRequestParams, McpServer } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { USE_SKILL_PROMPT } from '../prompts/prompt-listings.ts'
import { BLOB_TEMPLATE } from '../resources/blob-resources.ts'
import { LOGS, OUTPUT, RECORD, RUN_TEMPLATE } from '../resources/run-uri.ts'
import { SKILL_FILE_TEMPLATE } from '../resources/skill-resources.ts'
import type { SkillCatalog } from '../skills/skill-catalog.ts'
import { listBlobIds, listRunIds } from './list-ids.ts'
import { selectMatches, type Candidates, type ArgumentRequest } from './select-matches.ts'
import {
  listDocuments,
  listSkillFiles,
  listSkillNames,
  listSkillPaths,
  findNamedSkill,
} from './list-skill-values.ts'
import type { SkillInput } from '../../core/skills/manifest/manifest.ts'

interface CompletionSource {
  caller: ToolCaller
  catalog: SkillCatalog
}

type Completer = (source: CompletionSource, request: ArgumentRequest) => Promise<Candidates>

/** Completers by prompt or resource template, and by the name of the argument. */
const COMPLETERS: Readonly<Record<string, Readonly<Record<string, Completer>>>> = {
  [USE_SKILL_PROMPT.name]: {
    skill: async ({ caller }, { value }) => await listSkillNames(caller.runtime, value),
    inputs: async ({ caller }, request) => await completeInputs(caller, request),
    document: async ({ caller }, { others }) =>
      await listDocuments(caller.runtime, others['skill']),
  },
  [SKILL_FILE_TEMPLATE]: {
    skill: async ({ catalog }) => await listSkillPaths(catalog),
    file: async ({ catalog }, { others }) => await listSkillFiles(catalog, others['skill']),
  },
  [BLOB_TEMPLATE]: {
    id: async ({ caller }) => await listBlobIds(caller),
  },
  [RUN_TEMPLATE]: {
    id: async ({ caller }, { value }) => await listRunIds(caller, value),
    part: async () => ({ values: [OUTPUT, LOGS, RECORD] }),
  },
}

/** Completes arguments of prompts and variables of resource templates, for this caller. */
export function addCompletions({ server }: McpServer, source: CompletionSource): void {
  server.setRequestHandler('completion/complete', async ({ params }) => {
    const { argument, context } = params
    const complete = findCompleter(params)
    const request = { value: argument.value, others: context?.arguments ?? {} }
    const runtime = await hideDeniedSkills(source.caller.runtime, 'every caller')
    const own = { ...source, caller: { ...source.caller, runtime } }
    const candidates = complete ? await complete(own, request) : { values: [] }
    return { completion: selectMatches(candidates, argument.value) }
  })
}

function findCompleter({ ref, argument }: CompleteRequestParams): Completer | undefined {
  const completers = COMPLETERS[ref.type === 'ref/prompt' ? ref.name : ref.uri] ?? {}
  return Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined
}

/**
 * Completes the last of several `name=value`: the names of the skill's inputs, then the values that
 * an input declares. A completion replaces the whole argument, so each value begins with its start.
 */
async function completeInputs(
  caller: ToolCaller,
  { value, others }: ArgumentRequest,
): Promise<Candidates> {
  const { repository } = caller.runtime
  const entry = await findNamedSkill(repository, others['skill'])
  if (!entry) return { values: [] }
  const { inputs } = await repository.manifest(entry)
  const before = value.slice(0, value.lastIndexOf(' ') + 1)
  const [name = '', ...rest] = value.slice(before.length).split('=')
  const prepend = (values: readonly string[]) => values.map((each) => `${before}${each}`)
  if (rest.length === 0) {
    const used = new Set(before.split(' ').map((each) => each.split('=')[0]))
    const names = Object.keys(inputs).filter((each) => !used.has(each))
    return { values: prepend(names.map((each) => `${each}=`)) }
  }
  const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined
  const { values, isPartial } = input ? await listInputValues(caller, input) : { values: [] }
  return {
    values: prepend(values.map((each) => `${name}=${each}`)),
    ...(isPartial && { isPartial }),
  }
}

async function listInputValues(caller: ToolCaller, input: SkillInput): Promise<Candidates> {
  if (input.enum) return { values: input.enum.map(formatInputValue) }
  if (input.type === 'boolean') return { values: ['true', 'false'] }
  if (input.type === 'blob') {
    const { values, ...rest } = await listBlobIds(caller)
    return { values: values.map((id) => `blob:${id}`), ...rest }
  }
  return { values: input.default === undefined ? [] : [formatInputValue(input.default)] }
}

function formatInputValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
