import type { LoadedConfig } from '../../core/config/load-config.ts'
import { inspectRoot } from '../../core/config/roots/resolve-root.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { openConfigWithProblems } from '../runtime.ts'
import { formatTable } from '../ui/table.ts'

/** Loads a configuration whose roots may be missing; other problems are errors. */
export async function openRoots(context: Context): Promise<LoadedConfig> {
  const { problems, ...loaded } = await openConfigWithProblems(context)
  const places = loaded.fetchedRoots.map(({ source }) => `The root "${source}" `)
  const other = problems.find(({ message }) => !places.some((text) => message.startsWith(text)))
  if (other) throw other
  return loaded
}

/** A root as in JSON. */
interface RootRecord {
  source: string
  state: 'folder' | 'verified' | 'missing' | 'changed' | 'unpinned'
  place: string
  path: string | null
  resolved: string | null
  tree: string | null
  skills: number | null
}

/** `skills roots list`: files of fetched roots are compared with their digests. */
export async function runListRoots(context: Context): Promise<number> {
  const { config, rootOrigins, fetchedRoots } = await openRoots(context)
  const cached = new Set(config.remoteRoots.map(({ path }) => path))
  const roots: RootRecord[] = []
  for (const root of fetchedRoots) {
    const { pin, state, path } = await inspectRoot(root, config.directories.data)
    roots.push({
      source: root.source,
      state,
      place: root.place,
      path: path ?? null,
      resolved: pin?.resolved ?? null,
      tree: pin?.tree ?? null,
      skills: pin?.skills.length ?? null,
    })
  }
  config.roots.forEach((path, at) => {
    if (cached.has(path)) return
    const { place = '' } = rootOrigins[at] ?? {}
    const nothing = { resolved: null, tree: null, skills: null }
    roots.push({ source: path, state: 'folder', place, path, ...nothing })
  })
  if (context.global.json) context.document('skills.roots/v1', { roots })
  else printRoots(context, roots)
  return roots.every(({ state }) => state === 'folder' || state === 'verified') ? 0 : 1
}

function printRoots(context: Context, roots: readonly RootRecord[]): void {
  const rows = roots.map(({ source, state, resolved, place }) => [
    toPrintable(source),
    STATES[state],
    toPrintable(resolved ?? place),
  ])
  const isTerminal = context.stdout.isTTY === true
  if (rows.length > 0) {
    context.print(formatTable(rows, { columns: isTerminal ? context.columns : Infinity }))
  } else context.note('No roots; add folders or sources to "roots" in skills.config.toml')
  if (roots.some(({ state }) => !['folder', 'verified'].includes(state))) {
    context.note('Type "skills roots fetch" to fetch what is missing or was changed')
  }
}

const STATES: Readonly<Record<RootRecord['state'], string>> = {
  folder: 'folder',
  verified: 'verified',
  missing: 'not fetched',
  changed: 'changed',
  unpinned: 'never fetched',
}
