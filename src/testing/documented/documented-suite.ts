import { basename, join } from 'node:path'
import { LineIndex } from '../../util/line-index.ts'
import type { ExampleArgument, ExampleCall } from '../../core/lint/examples/example-call.ts'
import { readExampleCalls } from '../../core/lint/examples/example-calls.ts'
import type {
  Manifest,
  PlainObject,
  InputType,
  Plain,
} from '../../core/skills/manifest/manifest.ts'
import { readSkillFiles } from '../../core/skills/manifest/read-source.ts'
import type { MarkdownSource } from '../../core/skills/manifest/source.ts'
import type { Expectation } from '../../core/testing/expectations/expectation.ts'
import { STATUS } from '../../core/testing/expectations/status.ts'
import type { Suite, TestCase } from '../../core/testing/suites/suite.ts'
import { DOCUMENTED_VALUES } from './documented-values.ts'
import { isSkillFile } from './manifest-suite.ts'
import { listTranscripts } from './transcripts.ts'

/** The examples of SKILL.md as cases. */
export interface DocumentedSuite {
  suite: Suite
  /** Examples that are incomplete, such as calls with placeholders. */
  skipped: number
}

/** Reads the examples of a skill's SKILL.md; undefined without one. */
export function readDocumentedSuite(dir: string, manifest: Manifest): DocumentedSuite | undefined {
  const { markdown } = readSkillFiles(dir)
  if (!markdown) return undefined
  const lines = new LineIndex(markdown.text)
  const folder = basename(dir)
  const calls = manifest.runtime ? readExampleCalls({ markdown, manifest, folder }) : []
  const cases = calls.map((call) => readCallCase({ call, markdown, manifest, dir, lines }))
  const complete = cases.filter((each) => each !== undefined)
  const transcripts = listTranscripts(markdown, lines).map((each): TestCase => ({
    ...DOCUMENTED_VALUES,
    ...each,
  }))
  const all = nameCases([...complete, ...transcripts])
  const suite = { name: 'SKILL.md', file: join(dir, 'SKILL.md'), skill: dir, cases: all }
  return { suite, skipped: cases.length - complete.length }
}

/** Names are unique: they end with the line of the example. */
function nameCases(cases: readonly TestCase[]): TestCase[] {
  return cases
    .toSorted((a, b) => a.position.line - b.position.line)
    .map((each) => ({ ...each, name: `${each.name} (line ${each.position.line})` }))
}

interface DocumentedCall {
  call: ExampleCall
  markdown: MarkdownSource
  manifest: Manifest
  dir: string
  lines: LineIndex
}

/** Undefined if the example does not have all values. */
function readCallCase(documented: DocumentedCall): TestCase | undefined {
  const { call, manifest, dir, lines, markdown } = documented
  const args: PlainObject = {}
  const blobs = new Map<string, string>()
  for (const argument of call.arguments) {
    if (manifest.inputs[argument.name]?.type === 'blob') {
      const { start, end } = argument.valueSpan
      const file = findDocumentedFile(dir, markdown.text.slice(start, end))
      if (file === undefined) return undefined
      blobs.set(argument.name, file)
    } else {
      const value = readArgument(argument, manifest)
      if (value === undefined) return undefined
      args[argument.name] = value.value
    }
  }
  if (call.isPartial) return undefined
  const position = lines.positionAt(call.span.start)
  const expectation: Expectation = {
    kind: STATUS,
    value: 'completed',
    isNegated: false,
    position,
  }
  const action = { kind: 'skill', args } as const
  return {
    ...DOCUMENTED_VALUES,
    name: 'call',
    position,
    action,
    blobs,
    expectations: [expectation],
  }
}

function readArgument({ name, text, isJson }: ExampleArgument, { inputs }: Manifest) {
  if (text === undefined) return undefined
  return parseDocumentedValue(text, isJson ? 'any' : (inputs[name]?.type ?? 'string'))
}

/** A path in an example begins anywhere; its end names a file of the skill. */
function findDocumentedFile(dir: string, path: string): string | undefined {
  const parts = path.replaceAll(/["']/g, '').split('/')
  for (let from = 0; from < parts.length; from++) {
    const rest = parts.slice(from).join('/')
    if (isSkillFile(dir, rest)) return join(dir, rest)
  }
  return undefined
}

/** Parses the text of a documented argument; undefined if it is not of the type. */
function parseDocumentedValue(text: string, type: InputType): { value: Plain } | undefined {
  if (type === 'string') return { value: text }
  try {
    return { value: JSON.parse(text) as Plain }
  } catch {
    return type === 'any' ? { value: text } : undefined
  }
}
