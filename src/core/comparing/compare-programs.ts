import type { LintedSkill } from '../lint/rule.ts'
import { DYNAMIC_CALLS } from '../lint/rules/permissions/dynamic-code.ts'
import { PROCESS_CALLS } from '../lint/rules/permissions/subprocess.ts'
import { toSortedJson } from '../skills/manifest/sorted-json.ts'
import { locate, locateInManifest, type ComparedSide } from './compared-side.ts'
import type { DifferenceCode, RawDifference } from './difference.ts'
import { listNewFacts, type PlacedFact } from './facts.ts'
import { findVendoredFolder } from './snapshots/left-out-paths.ts'

/** Executable files, programs that code starts, hooks, and how the skill itself is started. */
export function comparePrograms(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const report = (side: ComparedSide, code: DifferenceCode) => (fact: PlacedFact) => ({
    code,
    subject: fact.subject,
    place: locate(side, fact.path, fact.span),
  })
  const [oldStarted, newStarted] = [listStarted(before.skill), listStarted(after.skill)]
  return [
    ...compareExecutables(before, after),
    ...listNewFacts(oldStarted, newStarted).map(report(after, 'programs/started')),
    ...listNewFacts(newStarted, oldStarted).map(report(before, 'programs/not-started')),
    ...listNewFacts(listDynamic(before.skill), listDynamic(after.skill)).map(
      report(after, 'programs/dynamic-code'),
    ),
    ...compareHooks(before, after),
    ...compareRuntime(before, after),
  ]
}

/** First bytes of formats that a machine executes and that nobody can review as text. */
const BINARY_STARTS: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46],
  [0x4d, 0x5a],
  [0xfe, 0xed, 0xfa],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x00, 0x61, 0x73, 0x6d],
]
const BINARY_NAME = /\.(?:so|dll|dylib|exe|pyc|pyd|node|jar|class|wasm|whl|deb|rpm|msi|app)$/i

function isBinaryProgram({ snapshot }: ComparedSide, path: string): boolean {
  const { bytes, type } = snapshot.files.get(path) ?? {}
  if (type !== 'file' || findVendoredFolder(path) !== undefined) return false
  if (BINARY_NAME.test(path)) return true
  return (
    bytes !== undefined &&
    BINARY_STARTS.some((start) => start.every((byte, at) => bytes[at] === byte))
  )
}

function compareExecutables(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const removed = [...before.snapshot.files.keys()].filter(
    (path) => !after.snapshot.files.has(path) && isExecutable(before, path),
  )
  return [
    ...[...after.snapshot.files.keys()].flatMap((path) => compareExecutable(path, before, after)),
    ...removed.map((path) => ({
      code: 'programs/executable-removed' as const,
      subject: path,
      place: { side: before.side, path },
    })),
  ]
}

function compareExecutable(
  path: string,
  before: ComparedSide,
  after: ComparedSide,
): RawDifference[] {
  const was = before.snapshot.files.get(path)
  const { digest } = after.snapshot.files.get(path) ?? {}
  const place = { side: after.side, path }
  if (isBinaryProgram(after, path)) {
    if (was?.digest === digest) return []
    const code = was ? 'programs/binary-changed' : 'programs/binary-added'
    return [{ code, subject: path, before: was?.digest, after: digest, place }]
  }
  if (was || !isExecutable(after, path)) return []
  return [{ code: 'programs/executable-added', subject: path, place }]
}

/** True for files with an execute bit or a `#!` line. */
function isExecutable({ snapshot }: ComparedSide, path: string): boolean {
  const file = snapshot.files.get(path)
  if (file?.type !== 'file' || findVendoredFolder(path) !== undefined) return false
  return (file.mode & 0o111) !== 0 || (file.bytes?.[0] === 0x23 && file.bytes[1] === 0x21)
}

/** Programs by name; a name that the code computes is one of them. */
function listStarted(skill: LintedSkill): PlacedFact[] {
  return skill.files.flatMap(({ path }) => {
    const text = skill.read(path)
    if (text === undefined) return []
    const calls = (skill.getPythonFacts(path)?.calls ?? []).filter(({ name }) =>
      PROCESS_CALLS.test(name),
    )
    return [
      ...calls.map(({ span }) => toStarted(path, text, span)),
      ...listNodePrograms(skill, path, text),
      ...listShellPrograms(skill, path),
    ]
  })
}

function listShellPrograms(skill: LintedSkill, path: string): PlacedFact[] {
  const facts = skill.getCodeFacts(path)
  if (facts?.language !== 'shell') return []
  const own = new Set(facts.definitions)
  return facts.commands
    .filter(({ name }) => name !== '' && !own.has(name) && !SHELL_BUILTINS.has(name))
    .map(({ name, span }) => ({ key: name, subject: name, path, span }))
}

function listNodePrograms(skill: LintedSkill, path: string, text: string): PlacedFact[] {
  const language = skill.getCodeFacts(path)?.language
  const isNode = language === 'javascript' || language === 'typescript'
  if (!isNode || !/child_process|execa|zx|Deno\.Command|Bun\.spawn/.test(text)) return []
  return [...text.matchAll(NODE_CALL)].map((match) =>
    toStarted(path, text, { start: match.index, end: match.index + match[0].length }),
  )
}

const NODE_CALL =
  /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork|execa|execaSync|execaCommand|Command)(?=\s{0,20}\()/g
const FIRST_WORD = /^\s{0,100}\(\s{0,100}\[?\s{0,100}[rbuf]{0,2}["'`]\s{0,20}([^\s"'`]{1,200})/i

/** The program of a call: the first word of its first text. */
function toStarted(path: string, text: string, span: { start: number; end: number }): PlacedFact {
  const written = FIRST_WORD.exec(text.slice(span.end, span.end + 600))?.[1]
  const program = written === undefined || /[${}]/.test(written) ? COMPUTED : written
  return { key: program, subject: program, path, span }
}

/** Subject of a call whose program is not a literal. */
const COMPUTED = '(computed)'

function listDynamic(skill: LintedSkill): PlacedFact[] {
  const found: PlacedFact[] = []
  for (const { path } of skill.files) {
    for (const { name, firstArgument, span } of skill.getPythonFacts(path)?.calls ?? []) {
      if (DYNAMIC_CALLS.has(name) && firstArgument === null) {
        found.push({ key: `${name} ${path}`, subject: name, path, span })
      }
    }
    const text = skill.getCodeFacts(path) ? (skill.read(path) ?? '') : ''
    for (const match of text.matchAll(/\b(?:eval(?=\s{0,20}[("$])|new Function(?=\s{0,20}\())/g)) {
      const span = { start: match.index, end: match.index + match[0].length }
      found.push({ key: `${match[0]} ${path}`, subject: match[0], path, span })
    }
  }
  return found
}

/** Commands in the front matter that some hosts execute on events. */
function compareHooks(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before, after].map(({ skill }) => skill.manifest.frontMatter['hooks'])
  const texts = [old, now].map((value) => (value === undefined ? undefined : toSortedJson(value)))
  if (texts[0] === texts[1]) return []
  const side = now === undefined ? before : after
  const place = locate(side, 'SKILL.md', side.skill.markdown?.frontMatter.locate(['hooks']))
  return [
    { code: 'programs/hooks-changed', subject: 'hooks', before: texts[0], after: texts[1], place },
  ]
}

function compareRuntime(before: ComparedSide, after: ComparedSide): RawDifference[] {
  const [old, now] = [before.skill.manifest.runtime, after.skill.manifest.runtime]
  if (!old || !now) return []
  const found: RawDifference[] = []
  const add = (code: DifferenceCode, key: 'language' | 'entrypoint' | 'export'): void => {
    if (old[key] === now[key]) return
    const place = locateInManifest(after, ['runtime', key])
    found.push({ code, subject: `runtime.${key}`, before: old[key], after: now[key], place })
  }
  add('programs/language-changed', 'language')
  add('programs/entrypoint-changed', 'entrypoint')
  add('programs/entrypoint-changed', 'export')
  return found
}

/** Commands that a shell executes itself. */
const SHELL_BUILTINS: ReadonlySet<string> = new Set(
  '. : [ [[ alias bg break builtin cd command continue declare dirs echo eval exec exit export false fg getopts hash jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
)
