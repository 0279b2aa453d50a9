import { readFileSync } from 'node:fs'
import type { Plain } from '../../core/skills/manifest/manifest.ts'
import { isTable, readTable, type FieldValues } from '../../core/testing/document/field.ts'
import { ProblemList, type Place } from '../../core/testing/document/problems.ts'
import {
  EVAL_CASE_FIELDS,
  EVALS_FIELDS,
  QUERY_FIELDS,
} from '../../core/testing/suites/evals-fields.ts'
import {
  DEFAULT_MAX_TURNS,
  DEFAULT_TIMEOUT_MS,
  type EvalCase,
  type Grader,
  type ReadEvals,
  type TriggerQuery,
} from './eval-case.ts'
import { findCaseFile } from './eval-reader.ts'
import { readJsonDocument } from './json-document.ts'

/** Reads a JSON file of evals: `evals.json` in either dialect, or a list of trigger queries. */
export function readEvalsJson(
  file: string,
  skill: { folder: string; names: readonly string[] },
): ReadEvals {
  const document = readJsonDocument(readFileSync(file, 'utf8'))
  const list = new ProblemList(file, document)
  const top = list.at([])
  const read: { cases: EvalCase[]; queries: TriggerQuery[] } = { cases: [], queries: [] }
  if (!document.problem) {
    if (Array.isArray(document.value)) read.queries = readQueries(document.value, top)
    else read.cases = readCases(document.value, top, skill)
  }
  return { ...read, problems: list.problems, unmapped: [] }
}

function readQueries(values: readonly Plain[], top: Place): TriggerQuery[] {
  if (values.length === 0) top.refuse('Expected at least one query, got an empty list')
  return values.flatMap((value, at) => {
    const place = top.at(at)
    const read = readTable(QUERY_FIELDS, value, place)
    if (read?.query === undefined || read.should_trigger === undefined) return []
    const { query, should_trigger: shouldTrigger } = read
    return [{ query, shouldTrigger, file: place.file, position: place.position }]
  })
}

function readCases(
  value: Plain,
  top: Place,
  { folder, names }: { folder: string; names: readonly string[] },
): EvalCase[] {
  const values = readTable(EVALS_FIELDS, value, top)
  if (!values) return []
  const { skill_name: name, evals = [] } = values
  if (name !== undefined && !names.includes(name)) {
    top.at('skill_name').refuse(`The file is for the skill "${name}", not for "${names[0]}"`)
  }
  const cases = evals.flatMap((each, at) => readCase(each, top.at('evals').at(at), folder) ?? [])
  const seen = new Set<string>()
  for (const [at, { id }] of cases.entries()) {
    if (seen.has(id)) top.at('evals').at(at).at('id').refuse(`Two cases have the id "${id}"`)
    seen.add(id)
  }
  return cases
}

function readCase(value: Plain, place: Place, folder: string): EvalCase | undefined {
  const values = readTable(EVAL_CASE_FIELDS, value, place)
  if (values?.id === undefined || values.prompt === undefined || !isTable(value)) return undefined
  const graders = readAssertions(values, place)
  const files = (values.files ?? []).flatMap(
    (path, at) => findCaseFile(path, place.at('files').at(at), folder) ?? [],
  )
  return {
    id: values.id,
    file: place.file,
    position: place.position,
    prompt: values.prompt,
    files,
    graders,
    maxTurns: DEFAULT_MAX_TURNS,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    runs: undefined,
    tags: [],
    env: {},
    tools: undefined,
    scaffold: undefined,
    systemPrompt: undefined,
  }
}

/** The statements of a case; without any, the description of a good result is the only one. */
function readAssertions(values: FieldValues<typeof EVAL_CASE_FIELDS>, place: Place): Grader[] {
  const { assertions = [], expectations = [], expected_output: expected } = values
  if (assertions.length > 0 && expectations.length > 0) {
    const help = 'Write all statements into one of the two lists'
    place.at('expectations').refuse('The case has assertions and expectations', {
      what: 'key',
      help,
    })
  }
  const texts = [...assertions, ...expectations]
  if (texts.length === 0 && expected?.trim()) texts.push(expected)
  if (texts.length === 0) {
    place.refuse('The case checks nothing', {
      help: 'Add "assertions": ["…"], or "expected_output"',
    })
  }
  return [...new Set(texts)].map((text) => ({
    kind: 'llm',
    name: text,
    criteria: text,
    weight: 1,
    arm: 'both',
    target: { source: 'trace' },
  }))
}
