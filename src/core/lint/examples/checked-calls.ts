import { memoize } from '../../../util/memoize.ts'
import { LineIndex } from '../../../util/line-index.ts'
import { parseJsonTree } from '../../../util/text/json-tree.ts'
import { parseSuites } from '../rules/tests/suite-files.ts'
import type { LintedSkill } from '../rule.ts'
import type { TestCase } from '../../testing/suites/suite.ts'
import type { ExampleArgument, ExampleCall } from './example-call.ts'
import type { Span } from '../../skills/manifest/source.ts'
import { listExampleCalls } from './example-calls.ts'
import { readMembers } from './example-json.ts'

/** All written calls of a skill: examples, files such as resources/example.json, and cases of tests. */
export const listCheckedCalls: (skill: LintedSkill) => readonly ExampleCall[] = memoize((skill) => [
  ...listExampleCalls(skill),
  ...readExampleFiles(skill),
  ...listCaseCalls(skill),
])

/** Name of a call in messages. */
export function nameCall(file: string): string {
  return file.startsWith('tests/') ? 'case' : 'example'
}

const EXAMPLE_FILE = /^(?:resources|examples)\/example(?:[-_](?:args|arguments|input))?\.json$/

function readExampleFiles(skill: LintedSkill): ExampleCall[] {
  if (!skill.manifest.runtime) return []
  const blobs = Object.entries(skill.manifest.inputs).flatMap(([name, { type }]) =>
    type === 'blob' ? [name] : [],
  )
  return skill.files.flatMap(({ path }) => {
    const text = EXAMPLE_FILE.test(path) ? (skill.read(path) ?? '') : ''
    const { tree, errors } = parseJsonTree(text)
    if (tree?.type !== 'object' || errors.length > 0) return []
    const span = { start: tree.offset, end: tree.offset + 1 }
    // Blobs are files, which such a file cannot pass.
    const passed = [...readMembers(tree, text, 0), ...blobs.map((name) => toBlob(name, span))]
    return [{ file: path, span, arguments: passed, isPartial: false, isFailure: false }]
  })
}

function toBlob(name: string, span: Span): ExampleArgument {
  return { name, nameSpan: span, valueSpan: span, text: undefined, isJson: true }
}

/** Calls of the skill's function in the files of tests. */
function listCaseCalls(skill: LintedSkill): ExampleCall[] {
  if (!skill.manifest.runtime) return []
  return [...parseSuites(skill)].flatMap(([file, { suite }]) => {
    const text = skill.read(file) ?? ''
    const lines = new LineIndex(text)
    return (suite?.cases ?? []).flatMap((each) => toCaseCall(each, { file, text, lines }))
  })
}

function toCaseCall(
  { action, blobs, expectations, position }: TestCase,
  { file, text, lines }: { file: string; text: string; lines: LineIndex },
): ExampleCall[] {
  if (action.kind !== 'skill') return []
  // Finding the place is slow, and only findings need it.
  const locate = (name: string) => {
    const from = lines.getLineStart(position.line)
    const found = new RegExp(`["']?\\b${name.replaceAll(/\W/g, '\\$&')}\\b["']?\\s*[=:]`).exec(
      text.slice(from),
    )
    const start = from + (found?.index ?? 0)
    return { start, end: start + (found ? name.length : 1) }
  }
  const names = [
    ...Object.entries(action.args),
    ...[...blobs.keys()].map((name) => [name, undefined] as const),
  ]
  return [
    {
      file,
      isPartial: false,
      isFailure: expectations.some(
        ({ kind, value }) =>
          kind.name === 'error' || (kind.name === 'status' && value !== 'completed'),
      ),
      get span() {
        return locate('args')
      },
      arguments: names.map(([name, value]) => ({
        name,
        text: value === undefined || isTemplate(value) ? undefined : JSON.stringify(value),
        isJson: true,
        get nameSpan() {
          return locate(name)
        },
        get valueSpan() {
          return locate(name)
        },
      })),
    },
  ]
}

function isTemplate(value: unknown): boolean {
  return typeof value === 'string' && value.includes('{{')
}
