import fc from 'fast-check'
import { EXAMPLE_CODE } from '../../../../src/core/lint/example-skill.ts'
import type { Tree } from '../../../helpers/skills.ts'

/** One line of a manifest: its table, its key, and its value as text. */
interface Line {
  table: string
  key: string
  value: string
}

const TOML: readonly Line[] = [
  { table: '', key: 'name', value: '"demo.greet"' },
  { table: '', key: 'version', value: '"0.1.0"' },
  { table: '', key: 'description', value: '"Greets somebody by name."' },
  { table: '', key: 'kind', value: '"action"' },
  { table: '', key: 'namespace', value: '"demo"' },
  { table: '', key: 'tags', value: '["demo"]' },
  { table: 'runtime', key: 'language', value: '"python"' },
  { table: 'runtime', key: 'entrypoint', value: '"code/main.py"' },
  { table: 'runtime', key: 'export', value: '"main"' },
  { table: 'inputs.who', key: 'type', value: '"string"' },
  { table: 'inputs.who', key: 'description', value: '"Name of the person to greet"' },
  { table: 'inputs.who', key: 'required', value: 'false' },
  { table: 'inputs.who', key: 'default', value: '"Ada"' },
  { table: 'inputs.who', key: 'enum', value: '["Ada", "Alan"]' },
  { table: 'permissions', key: 'network', value: '["https://api.example.com"]' },
  { table: 'permissions', key: 'secrets', value: '["CRM_KEY"]' },
]

const FRONT_MATTER: readonly Line[] = [
  { table: '', key: 'name', value: 'greet' },
  { table: '', key: 'description', value: 'Greets somebody by name.' },
  { table: '', key: 'short_description', value: 'Greets.' },
  { table: '', key: 'tags', value: '[demo]' },
  { table: 'metadata', key: 'version', value: '"0.1.0"' },
]

const TOML_VALUES =
  '"" | " " | "x" | "A b" | "gr\u00FCn" | "a..b" | "1.0" | "0.1.0" | "python" | "shell" | "instruction" | "action" | "../main.py" | "code" | "/etc/hosts" | 5 | 0.5 | 1e300 | inf | nan | true | [] | [""] | [1] | [inf] | {} | 2020-01-01 | """ | "https://*" | ["ftp://a.b"] | ["CRM KEY"] | x'
const YAML_VALUES =
  '"" | " " | x | "A b" | \uFF47reet | a.b | a--b | skills.protocol.guide | 5 | .inf | .nan | true | ~ | [] | {} | [x] | [.nan] | 2020-01-01 | *a | !!binary aGk= | - | x: y | "\\0" | @x'

/** A skill with a few small mistakes in one of its manifests. */
export interface BrokenSkill {
  folder: string
  files: Tree
}

export function createBrokenSkill(): fc.Arbitrary<BrokenSkill> {
  const toml = applyChanges(TOML, { values: TOML_VALUES, print: printToml })
  return fc.constantFrom('greet', 'gr\u00FCn').chain((name) => {
    const lines = FRONT_MATTER.map((line, at) => (at === 0 ? { ...line, value: name } : line))
    const markdown = applyChanges(lines, { values: YAML_VALUES, print: printYaml })
    const good = { 'skill.toml': printToml(TOML), 'SKILL.md': printYaml(lines) }
    return fc
      .oneof<fc.WeightedArbitrary<Tree>[]>(
        { weight: 6, arbitrary: toml.map((text) => ({ ...good, 'skill.toml': text })) },
        { weight: 1, arbitrary: markdown.map((text) => ({ ...good, 'SKILL.md': text })) },
        { weight: 3, arbitrary: markdown.map((text) => ({ 'SKILL.md': text })) },
      )
      .map((files) => ({ folder: name, files: { ...files, 'code/main.py': EXAMPLE_CODE } }))
  })
}

/** Returns a manifest after changes of its lines, its text or its bytes. */
function applyChanges(
  lines: readonly Line[],
  { values, print }: { values: string; print: (lines: readonly Line[]) => string },
): fc.Arbitrary<string | Uint8Array> {
  const text = print(lines)
  return fc.oneof<fc.WeightedArbitrary<string | Uint8Array>[]>(
    {
      weight: 8,
      arbitrary: fc
        .array(createLineChange(values.split(' | ')), { minLength: 1, maxLength: 2 })
        .map((changes) => print(changes.reduce((all, change) => change(all), lines))),
    },
    { weight: 1, arbitrary: createTextChange().map((change) => change(text)) },
    { weight: 1, arbitrary: createByteChange().map((change) => change(Buffer.from(text))) },
  )
}

type Change<Value> = (value: Value) => Value

function createLineChange(values: readonly string[]): fc.Arbitrary<Change<readonly Line[]>> {
  const at = fc.nat(15)
  const change = (map: (line: Line) => Line[]) => (index: number) => (lines: readonly Line[]) =>
    lines.flatMap((line, each) => (each === index % lines.length ? map(line) : [line]))
  return fc.oneof(
    { weight: 3, arbitrary: at.map(change(() => [])) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(at, fc.constantFrom(...values))
        .map(([index, value]) => change((line) => [{ ...line, value }])(index)),
    },
    at.map(change((line) => [line, line])),
    at.map(change((line) => [{ ...line, key: line.key.slice(0, -1) }])),
    at.map(change((line) => [{ ...line, key: line.key.toUpperCase() }])),
    fc
      .tuple(at, fc.constantFrom('', 'runtime', 'permissions', 'inputs.who', 'metadata', 'other'))
      .map(([index, table]) => change((line) => [{ ...line, table }])(index)),
  )
}

function createTextChange(): fc.Arbitrary<Change<string>> {
  const piece = fc.oneof(
    fc.constantFrom(
      '[',
      ']',
      '"',
      '\n',
      '\r',
      '\0',
      '#',
      '=',
      '---\n',
      '\uFEFF',
      'a.',
      '[[x]]\n',
      '\t',
    ),
    fc.constant('['.repeat(300)),
  )
  return fc.oneof(
    fc.tuple(fc.nat(300), piece).map(
      ([at, text]) =>
        (all: string) =>
          all.slice(0, at) + text + all.slice(at),
    ),
    fc.nat(300).map((at) => (all: string) => all.slice(0, at)),
    fc.tuple(fc.nat(300), fc.nat(30)).map(
      ([at, size]) =>
        (all: string) =>
          all.slice(0, at) + all.slice(at + size),
    ),
  )
}

function createByteChange(): fc.Arbitrary<Change<Buffer>> {
  return fc.constantFrom<Change<Buffer>>(
    (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
    (bytes) => Buffer.concat([bytes, Buffer.from([0xe9, 0x0a])]),
    (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    (bytes) => Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n')),
    () => Buffer.alloc(0),
  )
}

function printToml(lines: readonly Line[]): string {
  return printLines(
    lines,
    (table) => `[${table}]\n`,
    ({ key, value }) => `${key} = ${value}\n`,
  )
}

function printYaml(lines: readonly Line[]): string {
  const text = printLines(
    lines,
    (table) => `${table}:\n`,
    ({ table, key, value }) => `${table === '' ? '' : '  '}${key}: ${value}\n`,
  )
  return `---\n${text}---\n\n# Greet\n\nGreets the person named in \`who\`.\n`
}

function printLines(
  lines: readonly Line[],
  heading: (table: string) => string,
  printLine: (line: Line) => string,
): string {
  const tables = [...new Set(['', ...lines.map(({ table }) => table)])]
  return tables
    .map((table) => {
      const own = lines.filter((line) => line.table === table)
      return (table === '' ? '' : heading(table)) + own.map(printLine).join('')
    })
    .join('')
}
