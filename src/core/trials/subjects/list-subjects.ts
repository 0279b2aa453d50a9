import { readScripts, withPythonParser, type ScriptReading } from '../../adopting/read-scripts.ts'
import { openTypeStripper, stripUntilClean } from '../../lint/code/typescript-parser.ts'
import type { Manifest } from '../../skills/manifest/manifest.ts'
import type { SkillSource } from '../../skills/manifest/source.ts'
import { listCodeBlocks } from './code-blocks.ts'
import { describeEntryPoint } from './entry-point.ts'
import { buildArguments, guessArguments, readDocumentedArguments } from './script-arguments.ts'
import type { Subject, SubjectCommand, SubjectProgram } from './subject.ts'
import { listSuiteCases } from './suite-cases.ts'

const MAX_SUBJECTS = 200
/** Argument lists of one script. */
const MAX_COMMANDS = 4
const PROGRAMS: Readonly<Record<string, SubjectProgram>> = {
  py: 'python3',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'node',
  mts: 'node',
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  command: 'bash',
  rb: 'ruby',
  pl: 'perl',
}
const SHEBANG = /^#!.*?\b(python|node|bash|dash|zsh|ksh|sh|ruby|perl)[\d.]*(?:\s|$)/
const SHEBANG_PROGRAMS: Readonly<Record<string, SubjectProgram>> = {
  python: 'python3',
  node: 'node',
  ruby: 'ruby',
  perl: 'perl',
}
const TYPESCRIPT = /\.m?ts$/
const DECLARATIONS = /\.d\.m?ts$/
const PYTHON_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/
const NODE_TEST = /\.(?:test|spec)\.[cm]?js$/

export interface SubjectList {
  subjects: Subject[]
  notRun: { subject: string; reason: string }[]
}

interface SubjectOptions {
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
  /** Folder of the skill inside of the sandbox. */
  folder: string
}

/** Lists everything of a skill that can be run. Nothing is executed. */
export async function listSubjects(
  source: SkillSource,
  manifest: Manifest,
  options: SubjectOptions,
): Promise<SubjectList> {
  const { folder } = options
  const documents = source.files
    .filter(({ path }) => /\.md$/i.test(path))
    .map(({ path }) => source.read(path) ?? '')
    .join('\n')
  const reading = await withPythonParser(options, (context) => readScripts(source, context)).catch(
    () => ({ scripts: [], skipped: [] }),
  )
  const notRun: SubjectList['notRun'] = []
  const scripts = source.files.flatMap((file) => {
    const found = describeScript(file, { source, folder, documents, reading })
    if (typeof found === 'string') notRun.push({ subject: file.path, reason: found })
    return typeof found === 'object' ? [found] : []
  })
  const entry = manifest.runtime
    ? describeEntryPoint(manifest, folder, source.read(manifest.runtime.entrypoint) ?? '')
    : undefined
  const subjects = [
    ...(entry ? [entry] : []),
    ...scripts,
    ...listCodeBlocks(source, folder),
    ...listSuiteCases({ source, manifest, folder }),
  ]
  for (const { name } of subjects.slice(MAX_SUBJECTS)) {
    notRun.push({ subject: name, reason: `a skill has more than ${MAX_SUBJECTS} subjects` })
  }
  return { subjects: subjects.slice(0, MAX_SUBJECTS), notRun }
}

interface ScriptContext {
  source: SkillSource
  folder: string
  documents: string
  reading: ScriptReading
}

/** Describes a file that a program starts; a reason if it cannot be; undefined for other files. */
function describeScript(
  { path, type }: SkillSource['files'][number],
  context: ScriptContext,
): Subject | string | undefined {
  if (type !== 'file' || DECLARATIONS.test(path)) return undefined
  const text = context.source.read(path)
  const program = selectProgram(path, text)
  if (!program) return undefined
  if (text === undefined) return 'it is too large or not text'
  const isTest = PYTHON_TEST.test(path) || NODE_TEST.test(path)
  const inside = `${context.folder}/${path}`
  if (isTest) return { name: path, file: path, text, commands: planTest(program, inside) }
  const start = TYPESCRIPT.test(path) ? planTypeScript(path, text, inside) : [inside]
  if (typeof start === 'string') return start
  const commands = chooseArguments(path, text, context).map((args) => ({
    program,
    args: [...start, ...args],
  }))
  return { name: path, file: path, text, commands }
}

function selectProgram(path: string, text = ''): SubjectProgram | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(PROGRAMS, extension)) return PROGRAMS[extension]
  const name = SHEBANG.exec(text)?.[1]
  return name === undefined ? undefined : (SHEBANG_PROGRAMS[name] ?? 'bash')
}

function planTest(program: SubjectProgram, path: string): SubjectCommand[] {
  if (program === 'node') return [{ program, args: [path] }]
  const [, folder = '', name = ''] = /^(.*)\/([^/]+)\.py$/.exec(path) ?? []
  const run = `import sys, unittest; sys.path[:0] = [${JSON.stringify(folder)}]; unittest.main(${JSON.stringify(name)})`
  return [
    { program, args: ['-c', run] },
    { program, args: [path] },
  ]
}

/** Passes TypeScript without its types as text, because the module system is not known before. */
// eslint-disable-next-line max-params -- the file, its text and its path inside
function planTypeScript(path: string, text: string, inside: string): string[] | string {
  try {
    const stripped = stripUntilClean(openTypeStripper(), { path, text })
    if ('message' in stripped) return `it does not parse: ${stripped.message}`
    const isModule = /^\s*(?:import|export)\s/m.test(stripped.code)
    return [...(isModule ? ['--input-type=module'] : []), '-e', stripped.code, '--', inside]
  } catch (error) {
    return `its types cannot be removed: ${(error as Error).message}`
  }
}

/** Chooses argument lists: documented ones, declared ones, and none. */
// eslint-disable-next-line max-params -- the file, its text and what is known of the skill
function chooseArguments(
  path: string,
  text: string,
  { documents, reading }: ScriptContext,
): string[][] {
  const declared = reading.scripts.find((each) => each.path === path)?.interface
  const all = [
    ...readDocumentedArguments(documents, path),
    ...(declared ? buildArguments(declared) : []),
    [],
    ...guessArguments(text),
  ]
  const distinct = new Map(all.map((args) => [args.join('\0'), args]))
  return [...distinct.values()].slice(0, MAX_COMMANDS)
}
