import { readFileSync } from 'node:fs'
import { readMarkdown } from '../manifest/markdown-source.ts'
import type { SkillSource } from '../manifest/source.ts'
import { readToml } from '../manifest/toml-source.ts'
import type { SkillEntry } from './repository.ts'
import { MISSING, stampPath, type Stamp } from './stamps.ts'

/** Both manifests of a skill in their last valid version. */
export interface LastGood {
  /** Stores the manifests of these skills in batches; unchanged ones are skipped. */
  remember(entries: readonly SkillEntry[]): Promise<void>
  /** The last valid entry of a folder whose manifests are invalid now. */
  entry(dir: string): SkillEntry | undefined
  /** The last valid manifests of a folder. */
  source(dir: string): Pick<SkillSource, 'toml' | 'markdown'> | undefined
  /** The last valid text of one of the two files. */
  text(dir: string, path: string): string | undefined
}

interface LastGoodSkill {
  entry: SkillEntry
  stamps: readonly Stamp[]
  texts: ReadonlyMap<string, string>
}

const FILES = ['skill.toml', 'SKILL.md'] as const
/** Skills to read before yielding to the event loop. */
const BATCH = 50

/** Creates an in-memory store of valid manifests, for skills that are being edited. */
export function createLastGood(): LastGood {
  const skills = new Map<string, LastGoodSkill>()
  const remembered = new WeakSet<SkillEntry>()
  return {
    async remember(entries) {
      for (const [at, entry] of entries.entries()) {
        if (at % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve))
        if (remembered.has(entry)) continue
        const found = readLastGood(entry, skills.get(entry.dir))
        if (found) skills.set(entry.dir, found)
        remembered.add(entry)
      }
    },
    entry: (dir) => skills.get(dir)?.entry,
    text: (dir, path) => skills.get(dir)?.texts.get(path),
    source(dir) {
      const texts = skills.get(dir)?.texts
      if (!texts) return undefined
      const [toml, markdown] = FILES.map((file) => texts.get(file))
      return {
        dir,
        toml: toml === undefined ? undefined : readToml('skill.toml', toml),
        markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
      }
    },
  }
}

/** Undefined if nothing changed, or if the files change while they are read. */
function readLastGood(entry: SkillEntry, stored: LastGoodSkill | undefined): LastGoodSkill | undefined {
  const stamps = stampManifestFiles(entry.dir)
  if (stored && hasSameStamps(stored.stamps, stamps)) return undefined
  const texts = new Map<string, string>()
  try {
    for (const [at, file] of FILES.entries()) {
      if (stamps[at] !== MISSING) texts.set(file, readFileSync(`${entry.dir}/${file}`, 'utf8'))
    }
  } catch {
    return undefined
  }
  return hasSameStamps(stamps, stampManifestFiles(entry.dir)) ? { entry, stamps, texts } : undefined
}

function stampManifestFiles(dir: string): Stamp[] {
  return FILES.map((file) => stampPath(`${dir}/${file}`))
}

function hasSameStamps(a: readonly Stamp[], b: readonly Stamp[]): boolean {
  return a.every((each, at) => each === b[at])
}
