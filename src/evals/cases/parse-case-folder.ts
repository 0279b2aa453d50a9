import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  isTable,
  readTable,
  type FieldTable,
  type FieldValues,
} from '../../core/testing/document/field.ts'
import { ProblemList, type Place, type SuiteProblem } from '../../core/testing/document/problems.ts'
import { isBelowRealFolder } from '../../core/testing/document/skill-path.ts'
import { readDocument } from '../../core/testing/document/read-document.ts'
import { CASE_FILE_FIELDS, PROMPT_FIELDS, type ExecutionValues } from './case-folder-fields.ts'
import {
  DEFAULT_MAX_TURNS,
  DEFAULT_TIMEOUT_MS,
  type EvalCase,
  type Grader,
  type ReadEvals,
} from './eval-case.ts'
import { createOutsideProblem, findCaseFile, UnmappedParts } from './eval-reader.ts'
import { readGrader } from './grader-fields.ts'
import { mapToolName } from './tool-names.ts'
import { readMarkdown } from '../../core/skills/manifest/markdown-source.ts'
import type { SuiteDocument } from '../../core/testing/document/suite-document.ts'

/** True for a folder of the plugin layout. */
export function isCaseFolder(folder: string): boolean {
  return ['prompt.md', 'case.yaml', 'case.yml'].some((name) => existsSync(join(folder, name)))
}

interface CaseParts {
  place: Place
  skill: string
  unmapped: UnmappedParts
}

/** Reads one case of the plugin layout: `prompt.md`, `case.yaml` and `graders/*.md`. */
export function readCaseFolder(folder: string, skill: string): ReadEvals {
  const outside = listCaseFiles(folder).filter((file) => !isBelowRealFolder(skill, file))
  if (outside.length > 0) {
    const problems = outside.map(createOutsideProblem)
    return { cases: [], queries: [], problems, unmapped: [] }
  }
  const unmapped = new UnmappedParts()
  const problems: SuiteProblem[] = []
  const prompt = readPrompt(folder, problems)
  const described = readCaseFile(folder, problems)
  const main = described ?? prompt
  if (!main) return { cases: [], queries: [], problems, unmapped: [] }
  const parts = { place: main.place, skill, unmapped }
  noteMocks(folder, parts)
  const graders = [...readGraderFiles(folder, parts, problems), ...readGraderList(described, parts)]
  const isRunnable = noteContext(described?.values, parts)
  const built = buildCase(basename(folder), { prompt, described, graders, parts })
  if (graders.length === 0 && problems.length + main.list.problems.length === 0) {
    refuseWithoutGraders(parts)
  }
  problems.push(...listOwnProblems(prompt), ...listOwnProblems(described))
  const isValid = problems.length === 0 && built !== undefined && isRunnable
  return { cases: isValid ? [built] : [], queries: [], problems, unmapped: unmapped.parts }
}

/** Existing files of a case folder. A model reads them, so that they must belong to the skill. */
function listCaseFiles(folder: string): string[] {
  const graders = join(folder, 'graders')
  const names = existsSync(graders) ? readdirSync(graders).sort() : []
  return [
    ...['prompt.md', 'case.yaml', 'case.yml'].map((name) => join(folder, name)).filter(existsSync),
    ...names.filter((name) => name.endsWith('.md')).map((name) => join(graders, name)),
  ]
}

function listOwnProblems(read: { list: ProblemList } | undefined): readonly SuiteProblem[] {
  return read?.list.problems ?? []
}

function refuseWithoutGraders({ place, unmapped }: CaseParts): void {
  const hasParts = unmapped.parts.length > 0
  place.refuse(hasParts ? 'No grader of the case can be used' : 'The case has no grader', {
    help: 'Add graders/<name>.md with "type: regex", or another kind',
  })
}

interface ReadFile<Table extends FieldTable> {
  list: ProblemList
  place: Place
  values: FieldValues<Table>
  body: string
}

function readPrompt(
  folder: string,
  problems: SuiteProblem[],
): ReadFile<typeof PROMPT_FIELDS> | undefined {
  const file = join(folder, 'prompt.md')
  if (!existsSync(file)) return undefined
  const { document, body } = readMarkdownDocument(file, readFileSync(file, 'utf8'))
  const list = new ProblemList(file, document)
  if (document.problem) {
    problems.push(...list.problems)
    return undefined
  }
  const place = list.at([])
  return { list, place, values: readTable(PROMPT_FIELDS, document.data, place) ?? NO_VALUES, body }
}

const NO_VALUES = {} as never

function readCaseFile(
  folder: string,
  problems: SuiteProblem[],
): ReadFile<typeof CASE_FILE_FIELDS> | undefined {
  const file = ['case.yaml', 'case.yml'].map((name) => join(folder, name)).find(existsSync)
  if (file === undefined) return undefined
  const document = readDocument(file, readFileSync(file, 'utf8'))
  const list = new ProblemList(file, document)
  if (document.problem) {
    problems.push(...list.problems)
    return undefined
  }
  const place = list.at([])
  const values = readTable(CASE_FILE_FIELDS, document.data, place) ?? NO_VALUES
  return { list, place, values, body: '' }
}

function readGraderFiles(
  folder: string,
  { skill, unmapped }: CaseParts,
  problems: SuiteProblem[],
): Grader[] {
  const graders = join(folder, 'graders')
  if (!existsSync(graders)) return []
  const names = readdirSync(graders).filter((name) => name.endsWith('.md'))
  return names.sort().flatMap((name) => {
    const file = join(graders, name)
    const { document, body } = readMarkdownDocument(file, readFileSync(file, 'utf8'))
    const list = new ProblemList(file, document)
    const written = { value: document.data, place: list.at([]), body, folder: skill }
    const grader = document.problem
      ? undefined
      : readGrader({ ...written, name: basename(name, '.md') }, unmapped)
    problems.push(...list.problems)
    return grader ? [grader] : []
  })
}

function readGraderList(
  described: ReadFile<typeof CASE_FILE_FIELDS> | undefined,
  { place, skill, unmapped }: CaseParts,
): Grader[] {
  return (described?.values.graders ?? []).flatMap((value, at) => {
    const own = place.at('graders').at(at)
    const written = { value: value as never, place: own, body: '', folder: skill }
    return readGrader({ ...written, name: `grader ${at + 1}` }, unmapped) ?? []
  })
}

/** Notes parts of the setting without an equivalent; false if the case would mean something else. */
function noteContext(
  values: FieldValues<typeof CASE_FILE_FIELDS> | undefined,
  { place, unmapped }: CaseParts,
): boolean {
  const { context, plugins } = values ?? {}
  if (plugins !== undefined) {
    unmapped.add(place.at('plugins'), 'Plugins are not loaded; the skill alone is tested')
  }
  if (!isTable(context as never)) return true
  let isRunnable = true
  for (const key of ['history_file', 'add_dirs'] as const) {
    if (context?.[key] === undefined) continue
    const message = `"${key}" has no equivalent; the case does not run`
    unmapped.add(place.at('context').at(key), message)
    isRunnable = false
  }
  return isRunnable
}

function noteMocks(folder: string, { place, unmapped }: CaseParts): void {
  if (existsSync(join(folder, 'mocks'))) {
    unmapped.add(place, 'Mocks of MCP servers have no equivalent; the case runs without them')
  }
}

interface CaseFiles {
  prompt: ReadFile<typeof PROMPT_FIELDS> | undefined
  described: ReadFile<typeof CASE_FILE_FIELDS> | undefined
  graders: readonly Grader[]
  parts: CaseParts
}

function buildCase(
  id: string,
  { prompt, described, graders, parts }: CaseFiles,
): EvalCase | undefined {
  const { place } = parts
  const own: ExecutionValues = { ...described?.values.execution, ...definedValues(prompt?.values) }
  const text = (prompt?.body || own.prompt || '').trim()
  if (text === '') {
    return place.refuse('The case has no prompt', {
      help: 'Write it into prompt.md, after the front matter',
    })
  }
  if (own.model !== undefined) {
    parts.unmapped.add(place, 'The model of a case is that of --model')
  }
  return {
    id,
    file: place.file,
    position: place.position,
    prompt: text,
    files: [],
    graders,
    ...readLimits(own),
    ...readDescription(described?.values, prompt?.values),
    env: Object.fromEntries(own.env ?? []),
    tools: mapAllowedTools(own.allowed_tools, parts),
    scaffold: readScaffold(described, parts),
    systemPrompt: own.append_system_prompt,
  }
}

function readLimits({
  max_turns: maxTurns = DEFAULT_MAX_TURNS,
  timeout_seconds: seconds = DEFAULT_TIMEOUT_MS / 1000,
}: ExecutionValues): Pick<EvalCase, 'maxTurns' | 'timeoutMs'> {
  return { maxTurns, timeoutMs: seconds * 1000 }
}

type DescriptionValues = Pick<FieldValues<typeof PROMPT_FIELDS>, 'runs' | 'tags'>

function readDescription(
  described: DescriptionValues | undefined,
  prompt: DescriptionValues | undefined,
): Pick<EvalCase, 'runs' | 'tags'> {
  const { runs, tags = [] } = { ...definedValues(described), ...definedValues(prompt) }
  return { runs, tags }
}

function readScaffold(
  described: CaseFiles['described'],
  { place, skill }: CaseParts,
): string | undefined {
  const path = described?.values.context?.scaffold_script
  if (path === undefined) return undefined
  const file = findCaseFile(path, place.at('context').at('scaffold_script'), skill)
  return file === undefined ? undefined : readFileSync(file, 'utf8')
}

function definedValues<T extends object>(values: T | undefined): Partial<T> {
  const entries = Object.entries(values ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<T>
}

/** Tools to offer; loading the skill is always possible. A pattern of arguments is not granted. */
function mapAllowedTools(
  names: readonly string[] | undefined,
  { place, unmapped }: CaseParts,
): string[] | undefined {
  if (!names) return undefined
  const found = names.flatMap((name) => {
    const tools = mapToolName(name)
    if (!tools) unmapped.add(place, `The tool "${name}" has no equivalent and is not offered`)
    return tools ?? []
  })
  return [...new Set(['skill_load', ...found])]
}

/** The front matter of a Markdown file with its positions, and the text after it. */
function readMarkdownDocument(
  file: string,
  text: string,
): { document: SuiteDocument; body: string } {
  const { frontMatter, bodyStart } = readMarkdown(file, text)
  return {
    body: text.slice(bodyStart).trim(),
    document: {
      text,
      data: frontMatter.data,
      problem: frontMatter.problem,
      locate: (path, what) =>
        path.length === 0 || !frontMatter.present
          ? { start: 0, end: 1 }
          : frontMatter.locate(path, what),
    },
  }
}
