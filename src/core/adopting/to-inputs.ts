import type { InputType, Plain } from '../skills/manifest/manifest.ts'
import type { AdoptedScript } from './read-scripts.ts'
import {
  cleanText,
  type Certainty,
  type ScriptArgument,
  type ScriptCommand,
} from './script-interface.ts'

/** One input of the manifest. */
export interface AdoptedInput {
  name: string
  type: InputType
  description: string
  required: boolean
  default?: Plain
  enum?: readonly Plain[]
  place: string
  certainty: Certainty
}

/** How an input becomes words of argv; the keys are those of code/adopted.json. */
interface AdoptedArgument {
  input: string
  /** Null for a positional argument. */
  flag: string | null
  style: 'value' | 'flag' | 'toggle' | 'append' | 'many' | 'count' | 'rest'
  /** True if the input is a blob, whose file is passed. */
  file: boolean
  /** Extension of that file. */
  extension: string
  required: boolean
}

interface AdoptedCommand {
  name: string
  program: string
  script: string
  words: readonly string[]
  /** True if `--` may precede positional arguments. */
  separates: boolean
  arguments: readonly AdoptedArgument[]
}

export interface CommandInputs {
  command: AdoptedCommand
  summary: string
  place: string
  inputs: readonly AdoptedInput[]
}

/** Limit on inputs of one command. */
const MAX_INPUTS = 60

/** The inputs of one command of a script. */
export function toCommandInputs(
  script: AdoptedScript,
  command: ScriptCommand,
  name: string,
): CommandInputs {
  const { parser, takesRest, summary } = script.interface
  const pairs: { input: AdoptedInput; argument: AdoptedArgument }[] = []
  const taken = new Set<string>(['command'])
  for (const each of command.arguments.slice(0, MAX_INPUTS)) {
    const input = createInputName(each)
    if (input === undefined || taken.has(input)) continue
    taken.add(input)
    pairs.push(toPair(each, { input, script, isCertain: parser !== 'shell' }))
  }
  if (takesRest) pairs.push(createRest(script))
  return {
    command: {
      name,
      program: script.program,
      script: script.path,
      words: command.words,
      separates: parser !== null && !/^(?:argv|shell)$/.test(parser),
      arguments: pairs.map(({ argument }) => argument),
    },
    summary: cleanText(command.help ?? summary ?? '', 200),
    place: `${script.path}:${command.line}`,
    inputs: pairs.map(({ input }) => input),
  }
}

/** A name in snake_case; undefined if nothing of the name remains. */
function createInputName({ name, flags, action }: ScriptArgument): string | undefined {
  const isFlag = action !== 'store' && flags.length > 0
  const long = flags.find((each) => each.startsWith('--'))
  const written = isFlag && long !== undefined && action.startsWith('store_') ? long : name
  const plain = written
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 60)
  return plain === '' ? undefined : plain
}

interface PairContext {
  input: string
  script: AdoptedScript
  isCertain: boolean
}

function toPair(argument: ScriptArgument, { input, script, isCertain }: PairContext) {
  const { flags, required, help, line } = argument
  const style = toStyle(argument)
  const isFile = !/^(?:flag|toggle|count)$/.test(style) && takesFile(argument)
  const type = toType(argument, style, isFile)
  const flag = flags.find((each) => each.startsWith('--')) ?? flags[0] ?? null
  const isGuess = !isCertain || (isFile && argument.type !== 'file')
  const extension = isFile ? findExtension(argument) : ''
  return {
    argument: { input, flag, style, file: isFile, extension, required },
    input: {
      name: input,
      type,
      description: cleanText(help ?? '', 300) || describeName(argument, input),
      required,
      ...(style === 'value' && !isFile && listAllowedValues(argument, type)),
      place: `${script.path}:${line}`,
      certainty: isGuess ? ('likely' as const) : ('certain' as const),
    },
  }
}

/** The default and the choices that a manifest can have; the script applies others itself. */
function listAllowedValues(
  { default: value, choices, required }: ScriptArgument,
  type: InputType,
): Pick<AdoptedInput, 'default' | 'enum'> {
  const allowed = choices?.filter((each) => matchesType(type, each) && isPlainText(each)) ?? []
  const hasDefault =
    !required && value !== undefined && matchesType(type, value) && isPlainText(value)
  const fits = hasDefault && (allowed.length === 0 || allowed.includes(value))
  return { ...(fits && { default: value }), ...(allowed.length > 0 && { enum: allowed }) }
}

/** False for a text that differs in the manifest. */
function isPlainText(value: Plain): boolean {
  return typeof value !== 'string' || cleanText(value, 300) === value
}

function toStyle({ action, count, flags }: ScriptArgument): AdoptedArgument['style'] {
  if (action === 'toggle' || action === 'count' || action === 'append') return action
  if (/^store_(?:true|false|const)$/.test(action)) return 'flag'
  const isMany = count === '*' || count === '+' || (typeof count === 'number' && count > 1)
  if (isMany) return 'many'
  return flags.length === 0 && action === 'extend' ? 'many' : 'value'
}

const STYLE_TYPES: Readonly<Record<string, InputType>> = {
  flag: 'boolean',
  toggle: 'boolean',
  count: 'integer',
  many: 'array',
  append: 'array',
}

function toType(
  { type, choices }: ScriptArgument,
  style: AdoptedArgument['style'],
  isFile: boolean,
): InputType {
  const byStyle = Object.hasOwn(STYLE_TYPES, style) ? STYLE_TYPES[style] : undefined
  if (byStyle) return byStyle
  if (isFile) return 'blob'
  if (/^(?:integer|number|boolean)$/.test(type ?? '')) return type as InputType
  const isNumeric = choices?.length && choices.every((each) => typeof each === 'number')
  return isNumeric ? 'number' : 'string'
}

function matchesType(type: InputType, value: Plain): boolean {
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'string') return typeof value === 'string' && value !== ''
  return typeof value === type
}

const OUTPUT = /out|dest|target|dir|folder|url|uri|prefix|pattern|save|write|log|cache|host|output/i
const INPUT =
  /^(?:input|infile|in|source|src|file|filename|filepath|path|image|pdf|document|csv|json|xlsx|docx|pptx|video|audio)(?:_?(?:file|path|pdf|name|json|csv|image|docx|xlsx|pptx))?$|(?:_|-)(?:pdf|docx|xlsx|pptx|csv|json|image|file|json_path|image_path|pdf_path|file_path)$/i

/** True for an argument that names a file to read, which a caller passes as a blob. */
function takesFile({ type, name, help, metavar, choices, count }: ScriptArgument): boolean {
  if (choices || count === '*' || count === '+') return false
  if (type === 'file') return true
  const written = name.replace(/^-+/, '')
  const text = `${help ?? ''} ${metavar ?? ''}`
  if (type === 'integer' || type === 'number' || OUTPUT.test(written)) return false
  return INPUT.test(written) && !/\b(?:director(?:y|ies)|folder|output|destination)\b/i.test(text)
}

/** The extension that a script may expect of the file. */
function findExtension({ name, help, metavar }: ScriptArgument): string {
  const known = 'pdf|docx|xlsx|pptx|csv|json|md|txt|html|png|jpe?g|yaml|yml|xml|svg|mp4|mp3|wav'
  const text = `${name} ${metavar ?? ''} ${(help ?? '').slice(0, 300)}`
  const found = new RegExp(`(?:^|[^a-z0-9])(${known})(?:$|[^a-z0-9])`, 'i').exec(text)?.[1]
  return found === undefined ? '' : `.${found.toLowerCase()}`
}

function describeName({ flags, metavar }: ScriptArgument, input: string): string {
  const words = cleanText(metavar ?? '', 60) || input.replaceAll('_', ' ')
  return flags.length > 0 ? `Value of ${cleanText(flags.join(', '), 80)}` : `Argument ${words}`
}

function createRest({ path }: AdoptedScript) {
  return {
    argument: {
      input: 'arguments',
      flag: null,
      style: 'rest' as const,
      file: false,
      extension: '',
      required: false,
    },
    input: {
      name: 'arguments',
      type: 'array' as const,
      description: `Arguments of ${path} in order, as texts`,
      required: false,
      place: `${path}:1`,
      certainty: 'possible' as const,
    },
  }
}
