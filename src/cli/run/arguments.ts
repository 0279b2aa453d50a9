import { findUndeclaredInput } from '../../core/skills/manifest/find-undeclared-input.ts'
import type { Plain, PlainObject, SkillInput } from '../../core/skills/manifest/manifest.ts'
import { SkillsError } from '../../errors.ts'
import type { CommandHandle } from '../access/command-handle.ts'
import { getListOption, getTextOption, type CommandLine } from '../command.ts'
import { parseArgument } from '../parse-argument.ts'
import { readNamedArguments } from './named-arguments.ts'
import type { RunPrompts } from './run-prompts.ts'
import type { Sources } from './sources.ts'

/** Context for reading run arguments. */
export interface ArgumentsRequest {
  handle: CommandHandle
  sources: Sources
  /** Inputs that the skill declares; undefined for code, which declares none. */
  inputs: Readonly<Record<string, SkillInput>> | undefined
  /** True if arguments that `inputs` does not declare are passed on. */
  isOpen: boolean
  /** Asks for required inputs without a value; undefined without a terminal. */
  prompts: RunPrompts | undefined
}

/** Arguments of the function: --args, then each --arg, then the id of each --blob. */
export async function readRunArguments(
  call: CommandLine,
  request: ArgumentsRequest,
): Promise<{ args: PlainObject; inputBlobs: string[] }> {
  const { sources, handle, inputs } = request
  const args = await readArgumentsObject(getTextOption(call, 'args'), sources)
  const pairs = [
    ...getListOption(call, 'arg').map((word) => splitPair(word, '--arg key=value')),
    ...readNamedArguments(getListOption(call, 'named'), inputs),
  ]
  const blobs = getListOption(call, 'blob').map((word) => splitPair(word, '--blob key=file'))
  if (!request.isOpen) {
    const passed = [...pairs, ...blobs].map(([key]) => key)
    rejectUndeclared(inputs ?? {}, [...Object.keys(args), ...passed])
  }
  const granted = await readInputBlobs(call, handle)
  const seen = new Set<string>()
  const claim = (key: string) => {
    if (seen.has(key)) throw duplicateArgumentError(key)
    seen.add(key)
  }
  for (const [key, text] of pairs) {
    claim(key)
    defineKey(args, key, parseArgument(key, text, inputs ? inputs[key]?.type : 'any'))
  }
  for (const [key, file] of blobs) {
    const isList = inputs?.[key]?.type === 'array'
    if (!isList) claim(key)
    const id = await sources.storeBlob(handle.blobs, file)
    granted.push(id)
    defineKey(args, key, isList ? appendTo(args, key, id) : id)
  }
  granted.push(...(await askMissing(args, request)))
  return { args, inputBlobs: [...new Set([...granted, ...listDeclaredBlobs(args, inputs ?? {})])] }
}

/** A list of files has one option for each. */
function appendTo(args: PlainObject, key: string, id: string): Plain[] {
  const others = Object.hasOwn(args, key) ? args[key] : []
  return [...(Array.isArray(others) ? others : []), id]
}

/** Asks for required inputs without a value and adds them; returns the ids of stored blobs. */
async function askMissing(args: PlainObject, request: ArgumentsRequest): Promise<string[]> {
  const { handle, sources, prompts } = request
  const stored: string[] = []
  for (const [name, input] of listMissing(args, request)) {
    const text = (await prompts?.askInput(name, input)) ?? ''
    if (input.type === 'blob') stored.push(await sources.storeBlob(handle.blobs, text))
    const value = input.type === 'blob' ? stored.at(-1) : parseArgument(name, text, input.type)
    defineKey(args, name, value ?? null)
  }
  return stored
}

/** Required inputs to ask for; none without a terminal. */
function listMissing(
  args: PlainObject,
  { inputs = {}, prompts }: ArgumentsRequest,
): [string, SkillInput][] {
  if (!prompts) return []
  return Object.entries(inputs).filter(
    ([name, { required, default: value }]) =>
      required && value === undefined && !Object.hasOwn(args, name),
  )
}

function rejectUndeclared(
  inputs: Readonly<Record<string, SkillInput>>,
  names: readonly string[],
): void {
  const undeclared = findUndeclaredInput(inputs, names)
  if (undeclared) throw new SkillsError('usage/invalid', undeclared.message, undeclared)
}

/** Full ids of --input-blob, which may be shortened. */
async function readInputBlobs(call: CommandLine, handle: CommandHandle): Promise<string[]> {
  const ids = getListOption(call, 'inputBlob')
  return await Promise.all(ids.map(async (word) => await handle.completeId('blob', word)))
}

/** Blob ids passed to inputs of type blob: the run may read them. */
function listDeclaredBlobs(
  args: PlainObject,
  inputs: Readonly<Record<string, SkillInput>>,
): string[] {
  return Object.entries(inputs)
    .filter(([name, { type }]) => type === 'blob' && Object.hasOwn(args, name))
    .map(([name]) => args[name])
    .filter((id): id is string => typeof id === 'string' && /^blob:[0-9a-f]{32}$/.test(id))
}

async function readArgumentsObject(
  source: string | undefined,
  sources: Sources,
): Promise<PlainObject> {
  if (source === undefined) return {}
  const text =
    source === '-'
      ? await sources.readStdin()
      : source.startsWith('@')
        ? sources.readText(source.slice(1))
        : source
  let value: Plain
  try {
    value = JSON.parse(text) as Plain
  } catch (cause) {
    throw new SkillsError('usage/invalid', `Cannot parse --args: ${(cause as Error).message}`, {
      hint: `Pass a JSON object: --args '{"name": "World"}'`,
      cause,
    })
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
  throw new SkillsError('usage/invalid', `Expected a JSON object for --args, got ${got}`, {
    hint: `Pass a JSON object: --args '{"name": "World"}'`,
  })
}

function splitPair(word: string, form: string): [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new SkillsError('usage/invalid', `Expected ${form}, got "${word}"`, {
    hint: 'Add a name, "=" and a value after the option',
  })
}

function duplicateArgumentError(key: string): SkillsError {
  return new SkillsError('usage/invalid', `The argument "${key}" is given twice`, {
    hint: 'Remove one of them',
  })
}

/** Defines an own property, including "__proto__". */
function defineKey(target: PlainObject, key: string, value: Plain): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
