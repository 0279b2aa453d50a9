import { posix } from 'node:path'
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser'
import { SkillsError } from '../../../../errors.ts'
import { isPlainObject, toPlainObject } from '../../manifest/plain-objects.ts'
import type { Plain, PlainObject } from '../../manifest/manifest.ts'
import { readNpmLock } from '../npm/lock-file.ts'
import { isNpmName, OWN_NAMES, splitNpmSpec } from '../npm/package-name.ts'
import { parseRange, pickVersion } from '../npm/pick-version.ts'
import { resolveTree } from '../npm/resolve-tree.ts'
import { loadSemverRanges } from '../npm/semver-ranges.ts'
import { formatNpmLock } from '../npm/write-lock.ts'
import type { RegistryAccess } from '../../../registries/credentials/credentials.ts'
import { openRegistryAccess } from '../../../registries/credentials/open-access.ts'
import { openNpmClient } from '../../../registries/npm/npm-client.ts'
import type { LockContext, PlannedLock, PinnedVersion } from './lock-dependencies.ts'
import { readOwnFile } from './own-file.ts'

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } }

/** Locks the ranges of the package.json next to the lock file. */
export async function planNodeLock(context: LockContext): Promise<PlannedLock> {
  const { dir, file, add, update, call } = context
  const access = openRegistryAccess(call.env)
  const declared = posix.join(posix.dirname(file), 'package.json')
  let text = readOwnFile(dir, declared)
  if (text === undefined && add.length === 0) {
    throw new SkillsError('file/not-found', `The skill has no "${declared}" with ranges to lock`, {
      hint: 'Type "skills deps add <skill> <package>" to write one',
    })
  }
  text ??= formatNewManifest(context)
  for (const spec of add) text = await addRange(text, { declared, spec, access, context })
  const manifest = parsePackageJson(declared, text)
  const before = readOldLock(readOwnFile(dir, file))
  const locked = new Map<string, string[]>()
  for (const { name, version } of before) {
    if (update === 'all' || update.includes(name)) continue
    locked.set(name, [...(locked.get(name) ?? []), version])
  }
  const root = await resolveTree(manifest, { access, signal: call.signal, locked })
  const lock = formatNpmLock(root, access)
  // A lock that cannot be installed is never written.
  const { problems } = readNpmLock(lock)
  if (problems[0]) {
    throw new SkillsError('skill/invalid', `The packages cannot be locked: ${problems[0].message}`, {
      hint: `Declare other packages in ${declared}`,
    })
  }
  return {
    before,
    after: readOldLock(lock),
    files: [
      { path: declared, text },
      { path: file, text: lock },
    ],
    notes: [],
  }
}

/** Statements of modules make a file of unknown type slow to load, so its type is declared. */
function formatNewManifest({ dir, entrypoint }: LockContext): string {
  const code = entrypoint?.endsWith('.js') ? readOwnFile(dir, entrypoint) : undefined
  const isModule = code !== undefined && /^\s*(?:import\b(?!\s*\()|export\b)/m.test(code)
  return `${JSON.stringify({ private: true, ...(isModule && { type: 'module' }) }, null, 2)}\n`
}

interface Addition {
  declared: string
  spec: string
  access: RegistryAccess
  context: LockContext
}

async function addRange(
  text: string,
  { declared, spec, access, context }: Addition,
): Promise<string> {
  const { name, range } = splitNpmSpec(spec)
  if (!isNpmName(name) || OWN_NAMES.has(name)) throw specError(spec, 'it is not the name of a package')
  const wanted = parseRange(name, range === '' ? 'latest' : range)
  const client = openNpmClient(wanted.name, access, { signal: context.call.signal })
  const packument = await client.readPackument(wanted.name, 'short')
  const version = packument && pickVersion(packument, wanted.range)
  if (version === undefined) throw specError(spec, 'the registry has no such package or version')
  // A tag moves, so the range of today's version is declared.
  const isRange = loadSemverRanges().validRange(wanted.range) !== null && range !== ''
  const declaredRange = isRange ? range : `^${version}`
  parsePackageJson(declared, text)
  const edits = modify(text, ['dependencies', name], declaredRange, FORMAT)
  return applyEdits(text, edits)
}

function parsePackageJson(path: string, text: string): PlainObject {
  const errors: ParseError[] = []
  const data = parse(text, errors, { disallowComments: true }) as Plain
  if (errors.length > 0 || !isPlainObject(data)) {
    throw new SkillsError('skill/invalid', `"${path}" is not a valid JSON object`, {
      hint: 'Correct it, or remove it and type "skills deps add"',
    })
  }
  for (const key of ['workspaces', 'overrides']) {
    if (data[key] === undefined) continue
    throw new SkillsError('skill/invalid', `"${path}" has "${key}", which is not supported`, {
      hint: 'Lock the packages with "npm install --package-lock-only --ignore-scripts"',
    })
  }
  return { ...data, dependencies: toPlainObject(data['dependencies']) }
}

function readOldLock(text: string | undefined): PinnedVersion[] {
  if (text === undefined) return []
  return readNpmLock(text).lock.packages.map(({ name, version }) => ({ name, version }))
}

function specError(spec: string, problem: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot add "${spec}": ${problem}`, {
    hint: 'Write a package of the registry as name or name@range, such as "semver@^7.6.0"',
  })
}
