import type { Manifest, Plain, PlainObject, SkillInput } from '../../skills/manifest/manifest.ts'
import { findSkillLanguage } from '../../skills/manifest/skill-languages.ts'
import { choosePlausibleText } from './script-arguments.ts'
import type { Subject, SubjectCommand } from './subject.ts'

const MAX_EXAMPLES = 2
const PLAUSIBLE_FILE = 'input.txt'

/** Calls the exported function. */
const PYTHON_CALL = `
import asyncio, importlib.util, inspect, json, os, sys
path, name, text = sys.argv[1:4]
sys.path[:0] = [os.path.dirname(path), os.path.dirname(os.path.dirname(path))]
spec = importlib.util.spec_from_file_location("entry_point", path)
module = importlib.util.module_from_spec(spec)
sys.modules["entry_point"] = module
spec.loader.exec_module(module)
result = getattr(module, name)(json.loads(text))
if inspect.iscoroutine(result):
    result = asyncio.run(result)
print(str(result)[:2000])
`
const NODE_CALL = `
const { pathToFileURL } = await import('node:url')
const [path, name, text] = process.argv.slice(1)
const module = await import(pathToFileURL(path))
console.log(await (module[name] ?? module.default)(JSON.parse(text)))
`
const SHELL_CALL = 'source "$1"; args=$3; export args; "$2" "$3" <<<"$3"'

/** Describes the function of an action skill; undefined for other skills. */
export function describeEntryPoint(
  { runtime, inputs, examples }: Manifest,
  folder: string,
  text: string,
): Subject | undefined {
  if (!runtime) return undefined
  const language = findSkillLanguage(runtime.language)?.name
  const documented = (examples ?? []).slice(0, MAX_EXAMPLES).map(({ args }) => args)
  const calls = documented.length > 0 ? documented : [choosePlausibleInputs(inputs)]
  const withFiles = (args: PlainObject) => placeBlobs(args, inputs, folder)
  const path = `${folder}/${runtime.entrypoint}`
  const commands = calls.flatMap((args) => {
    const words = [path, runtime.export, JSON.stringify(withFiles(args))]
    const command = planCall(language, words)
    return command ? [command] : []
  })
  if (commands.length === 0) return undefined
  return { name: 'entry point', file: runtime.entrypoint, text, commands }
}

function planCall(
  language: string | undefined,
  words: readonly string[],
): SubjectCommand | undefined {
  if (language === 'python') return { program: 'python3', args: ['-c', PYTHON_CALL, ...words] }
  if (language === 'node') {
    return { program: 'node', args: ['--input-type=module', '-e', NODE_CALL, ...words] }
  }
  if (language === 'shell') return { program: 'bash', args: ['-c', SHELL_CALL, 'bash', ...words] }
  return undefined
}

/** Blobs of a trial are files: those of examples belong to the skill. */
// eslint-disable-next-line max-params -- the arguments, their types and the folder of files
function placeBlobs(args: PlainObject, inputs: Manifest['inputs'], folder: string): PlainObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const isFile = inputs[name]?.type === 'blob' && typeof value === 'string'
      return [name, isFile && value !== PLAUSIBLE_FILE ? `${folder}/${value}` : value]
    }),
  )
}

function choosePlausibleInputs(inputs: Manifest['inputs']): PlainObject {
  return Object.fromEntries(
    Object.entries(inputs)
      .filter(([, { required, default: preset }]) => required || preset === undefined)
      .map(([name, input]) => [name, choosePlausibleInput(name, input)]),
  )
}

function choosePlausibleInput(
  name: string,
  { type, enum: choices, default: preset }: SkillInput,
): Plain {
  if (preset !== undefined) return preset
  const [first] = choices ?? []
  if (first !== undefined) return first
  const values: Record<SkillInput['type'], Plain> = {
    string: choosePlausibleText(name),
    integer: 3,
    number: 3,
    boolean: true,
    object: { a: 1, b: 2 },
    array: ['a', 'b'],
    blob: PLAUSIBLE_FILE,
    any: choosePlausibleText(name),
  }
  return values[type]
}
