import { createReadStream, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../errors.ts'
import type { Manifest, Plain, PlainObject } from '../core/manifest/manifest.ts'
import { readSecretsFile } from '../core/run/secrets.ts'
import type { Runtime } from '../core/runtime.ts'
import { kindOf } from '../util/mime.ts'
import { parseDuration } from '../util/quantity.ts'
import type { Context } from './context.ts'
import { parseArgument } from './parse-argument.ts'

/** What `skills exec` was given for the skill's function. */
export interface GivenArguments {
  runtime: Runtime
  manifest: Manifest
  whole: string | undefined
  single: readonly string[]
  files: readonly string[]
}

/** Milliseconds of --timeout. */
export function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = parseDuration(text)
  if (value !== undefined && value > 0) return value
  throw new SkillsError('usage/invalid', `Expected a duration for --timeout, got "${text}"`, {
    hint: 'Write it as 30s, 500ms or 5m',
  })
}

/** The function's arguments: --args first, then each --arg, then the ids of each --blob. */
export async function readArguments(
  context: Context,
  given: GivenArguments,
): Promise<{ args: PlainObject; inputBlobs: string[] }> {
  const { manifest, runtime, single, files } = given
  const args: PlainObject = given.whole === undefined ? {} : await readWhole(context, given.whole)
  const seen = new Set<string>()
  for (const word of single) {
    const [key, text] = splitPair(word, '--arg key=value')
    if (seen.has(key)) throw twice(key)
    seen.add(key)
    setOwn(args, key, parseArgument(key, text, manifest.inputs[key]?.type))
  }
  for (const word of files) {
    const [key, file] = splitPair(word, '--blob key=file')
    if (seen.has(key)) throw twice(key)
    seen.add(key)
    setOwn(args, key, await store(context, runtime, file))
  }
  const fromFiles = files.map((word) => args[splitPair(word, '')[0]])
  const declared = Object.entries(manifest.inputs)
    .filter(([, input]) => input.type === 'blob')
    .map(([name]) => (Object.hasOwn(args, name) ? args[name] : undefined))
  const inputBlobs = [...fromFiles, ...declared].filter(
    (each): each is string => typeof each === 'string' && /^blob:[0-9a-f]{32}$/.test(each),
  )
  return { args, inputBlobs }
}

/** Values of --secret and --secrets-file; a name that the skill does not declare is a mistake. */
export function readSecrets(
  context: Context,
  manifest: Manifest,
  given: { names: readonly string[]; secretsFile: string | undefined },
): Map<string, string> {
  const { names, secretsFile } = given
  const secrets =
    secretsFile === undefined
      ? new Map<string, string>()
      : readSecretsFile(resolve(context.cwd, secretsFile))
  for (const name of names) {
    const value = context.env[name]
    if (!manifest.permissions.secrets.includes(name)) {
      throw new SkillsError('usage/invalid', `"${manifest.name}" declares no secret "${name}"`, {
        hint: 'Declare it in skill.toml under [permissions] secrets, or leave the option out',
      })
    }
    if (value === undefined) {
      throw new SkillsError('usage/invalid', `The variable "${name}" is not set`, {
        hint: `Set it before the call: export ${name}=…`,
      })
    }
    secrets.set(name, value)
  }
  return secrets
}

async function readWhole(context: Context, source: string): Promise<PlainObject> {
  const text =
    source === '-'
      ? await readStandardInput(context)
      : source.startsWith('@')
        ? readFile(context, source.slice(1))
        : source
  let value: Plain
  try {
    value = JSON.parse(text) as Plain
  } catch (cause) {
    throw new SkillsError('usage/invalid', `Cannot parse --args: ${(cause as Error).message}`, {
      hint: `Give a JSON object: --args '{"name": "World"}'`,
      cause,
    })
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  const got = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
  throw new SkillsError('usage/invalid', `Expected a JSON object for --args, got ${got}`, {
    hint: `Give a JSON object: --args '{"name": "World"}'`,
  })
}

async function readStandardInput(context: Context): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of context.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function readFile(context: Context, file: string): string {
  try {
    return readFileSync(resolve(context.cwd, file), 'utf8')
  } catch (cause) {
    throw missingFile(file, cause)
  }
}

async function store(context: Context, runtime: Runtime, file: string): Promise<string> {
  const path = resolve(context.cwd, file)
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) throw missingFile(file)
  const writer = await (await runtime.blobs()).writer({ kind: kindOf(file, new Uint8Array()) })
  try {
    for await (const chunk of createReadStream(path)) await writer.write(chunk as Buffer)
    return (await writer.commit()).id
  } catch (error) {
    await writer.abort()
    throw error
  }
}

function missingFile(file: string, cause?: unknown): SkillsError {
  return new SkillsError('file/not-found', `Cannot read the file "${file}"`, {
    hint: 'Check its path and permissions',
    cause,
  })
}

function splitPair(word: string, form: string): [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new SkillsError('usage/invalid', `Expected ${form}, got "${word}"`, {
    hint: 'Put a name, "=" and a value behind the option',
  })
}

function twice(key: string): SkillsError {
  return new SkillsError('usage/invalid', `The argument "${key}" is given twice`, {
    hint: 'Leave one of them out',
  })
}

/** As an ordinary key, "__proto__" included. */
function setOwn(target: PlainObject, key: string, value: Plain): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
