import { readFileSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { readTable, type FieldValues } from '../document/field.ts'
import { ProblemList, type Place, type SuiteProblem } from '../document/problems.ts'
import { readDocument } from '../document/read-document.ts'
import { ACTION_FIELDS, ACTION_KINDS } from './case-actions.ts'
import { checkCase, checkFilePaths } from './check-case.ts'
import { CASE_FIELDS, DEFAULT_FIELDS, SUITE_FIELDS } from './case-fields.ts'
import { expandRows, type ExpandedCase } from './expand-rows.ts'
import { SUITE_FILE } from './find-suites.ts'
import { nameCaseFiles, SiblingFiles, type SiblingInputs } from './sibling-files.ts'
import type { CaseAction, SuiteFile, TestCase } from './suite.ts'
import { listCaseSnapshots } from './suite-snapshots.ts'

type Defaults = Partial<FieldValues<typeof DEFAULT_FIELDS>>

/** Larger files are refused before they are read. */
const MAX_SUITE_BYTES = 1024 * 1024

/** Reads and parses a file of cases in the `tests` folder of a skill. */
export function readSuite(file: string): SuiteFile {
  const { size } = statSync(file)
  if (size > MAX_SUITE_BYTES) return { suite: undefined, problems: [createSizeProblem(file, size)] }
  return parseSuite(file, readFileSync(file, 'utf8'))
}

function createSizeProblem(file: string, size: number): SuiteProblem {
  const start = { line: 1, column: 1 }
  const message = `The file has ${size} bytes, expected at most ${MAX_SUITE_BYTES}`
  return { file, start, span: { start: 0, end: 0 }, message, help: 'Split it into several files' }
}

/** Parses a file of cases strictly. Every mistake has a position. */
export function parseSuite(file: string, text: string): SuiteFile {
  const document = readDocument(file, text)
  const list = new ProblemList(file, document)
  if (list.problems.length > 0) return { suite: undefined, problems: list.problems }
  const top = list.at([])
  const values = readTable(SUITE_FIELDS, document.data, top)
  const siblings = new SiblingFiles(file)
  for (const { message, help } of siblings.refused) top.refuse(message, { help })
  const expanded = (values?.cases ?? []).flatMap((each, at) =>
    expandRows(each, top.at('cases').at(at)),
  )
  const cases = expanded.flatMap((each) => {
    return readCase(each, { defaults: values?.defaults ?? {}, siblings }) ?? []
  })
  refuseDuplicates(cases, top)
  refuseSharedSnapshots(cases, top)
  if (list.problems.length === 0) refuseUnusedFiles(siblings, cases, top)
  if (list.problems.length > 0) return { suite: undefined, problems: list.problems }
  const name = values?.suite ?? basename(file).replace(SUITE_FILE, '')
  return { suite: { name, file, skill: dirname(dirname(file)), cases }, problems: [] }
}

interface CaseSources {
  defaults: Defaults
  siblings: SiblingFiles
}

function readCase(
  { value, place }: ExpandedCase,
  { defaults, siblings }: CaseSources,
): TestCase | undefined {
  const before = place.problemCount
  const values = readTable({ ...CASE_FIELDS, ...ACTION_FIELDS }, value, place) as
    | (FieldValues<typeof CASE_FIELDS> & Record<string, unknown>)
    | undefined
  if (!values || place.problemCount > before) return undefined
  const { name = '', expect = [], blobs = new Map<string, string>() } = values
  const inputs = siblings.read(name)
  const action = readAction(addInputs(values, inputs, place), place)
  if (action) checkCase(action, values, place)
  if (place.problemCount > before || !action) return undefined
  const shared = mergeDefaults(values, defaults)
  const files = new Map([...shared.files, ...inputs.files])
  if (!checkFilePaths([...files.keys()], place)) return undefined
  return {
    name,
    action,
    ...shared,
    files,
    blobs,
    expectations: expect,
    get position() {
      return place.position
    },
  }
}

/** Adds the inputs in files next to the suite. A value that is written twice is a mistake. */
// eslint-disable-next-line max-params -- the written values, those of files, and the place
function addInputs(
  values: Record<string, unknown>,
  { stdin, code }: SiblingInputs,
  place: Place,
): Record<string, unknown> {
  const found = {
    ...(stdin !== undefined && { stdin }),
    ...(code && { code: code.text, language: code.language }),
  }
  for (const key of Object.keys(found).filter((each) => values[each] !== undefined)) {
    const help = 'Remove the key, or the file'
    place.at(key).refuse(`A file next to the suite has "${key}" of this case too`, { help })
  }
  return { ...values, ...found }
}

/** Values of a case override those of its suite; tags are added. */
function mergeDefaults(values: Defaults, defaults: Defaults) {
  const shared = { ...defaults, ...values }
  return {
    tags: [...new Set([...(defaults.tags ?? []), ...(values.tags ?? [])])],
    timeoutMs: shared.timeout,
    memoryBytes: shared.memory,
    fixed: resolveFixedValues(shared.seed, shared.now),
    files: new Map([...(defaults.files ?? []), ...(values.files ?? [])]),
    fakes: new Map([...(defaults.fakes ?? []), ...(values.fakes ?? [])]),
    secrets: new Map([...(defaults.secrets ?? []), ...(values.secrets ?? [])]),
    ...(shared.cassette !== undefined && { cassette: shared.cassette }),
  }
}

/** 2024-01-01T00:00:00Z. */
const STANDARD_TIME_MS = 1_704_067_200_000

/** The seed and the clock of a case: by default the same for all. */
export function resolveFixedValues(
  seed = 0,
  now: number | 'real' = STANDARD_TIME_MS,
): TestCase['fixed'] {
  return { seed, nowMs: now === 'real' ? undefined : now }
}

// eslint-disable-next-line max-params -- the files, the cases and the place
function refuseUnusedFiles(siblings: SiblingFiles, cases: readonly TestCase[], top: Place): void {
  const names = cases.map(({ name }) => name)
  for (const path of siblings.listUnused(names)) {
    const help = `Rename it after a case: ${names.map(nameCaseFiles).slice(0, 5).join(', ')}`
    top.refuse(`The file "${basename(path)}" next to the suite belongs to no case`, { help })
  }
}

/** Selects the kind of the action by its key, and refuses the keys of other kinds. */
function readAction(values: Record<string, unknown>, place: Place): CaseAction | undefined {
  const kind = ACTION_KINDS.find(({ key }) => key === undefined || values[key] !== undefined)
  if (!kind) return undefined
  for (const key of Object.keys(values)) {
    if (!Object.hasOwn(ACTION_FIELDS, key) || Object.hasOwn(kind.fields, key)) continue
    const owners = ACTION_KINDS.filter(({ fields }) => Object.hasOwn(fields, key))
    const names = owners.map((each) => `"${each.key ?? 'args'}"`).join(' or ')
    const help = `The key "${key}" belongs to a case with ${names}`
    place.at(key).refuse(`The key "${key}" has no effect here`, { what: 'key', help })
  }
  return kind.build(values)
}

function refuseDuplicates(cases: readonly TestCase[], top: Place): void {
  const seen = new Map<string, TestCase>()
  for (const [at, each] of cases.entries()) {
    const first = seen.get(each.name)
    if (first) {
      const message = `Two cases have the name "${each.name}"`
      const help = `The first one is at line ${first.position.line}`
      top.at('cases').at(at).at('name').refuse(message, { help })
    } else seen.set(each.name, each)
  }
}

/** Two expectations with one snapshot would overwrite each other. */
function refuseSharedSnapshots(cases: readonly TestCase[], top: Place): void {
  const seen = new Map<string, TestCase>()
  for (const [at, each] of cases.entries()) {
    for (const [number, name] of listCaseSnapshots(each)) {
      const first = seen.get(name)
      if (first) {
        const message = `Two expectations have the snapshot "${name}"`
        const help = `The other one is in the case "${first.name}"; give one of them another "name"`
        top.at('cases').at(at).at('expect').at(number).refuse(message, { help })
      } else seen.set(name, each)
    }
  }
}
