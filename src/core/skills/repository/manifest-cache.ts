import { SkillsError } from '../../../errors.ts'
import { loadLazily } from '../../../util/load-lazily.ts'
import { stampFiles, type FolderStamp } from '../../../util/stamp-folder.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { SkillSource } from '../manifest/source.ts'
import type { LastGood } from './last-good.ts'
import type { SkillEntry } from './repository.ts'
import { signSkill } from './skill-signature.ts'
import { MISSING, stampPath } from './stamps.ts'

const loadReadSource = loadLazily(async () => await import('../manifest/read-source.ts'))
const loadToManifest = loadLazily(async () => await import('../manifest/to-manifest.ts'))

/**
 * Reads the scripts of a plain Agent Skill. Returns the files that `skills adopt` would write, by
 * path; undefined if it has no scripts.
 */
export type SkillAdopter = (
  entry: Pick<SkillEntry, 'dir' | 'name' | 'version'>,
) => Promise<ReadonlyMap<string, string> | undefined>

interface ManifestCacheOptions {
  lastGood: LastGood | undefined
  adopt: SkillAdopter | undefined
}

/** Reads manifests; cached until one of their files changes. */
export function createManifestCache({
  lastGood,
  adopt,
}: ManifestCacheOptions): (entry: SkillEntry) => Promise<Manifest> {
  const cache = new WeakMap<SkillEntry, { stamp: string; manifest: Manifest }>()
  const stampManifests = (entry: SkillEntry) => stampSources(entry, adopt !== undefined)
  return async (entry) => {
    const stamp = stampManifests(entry)
    const cached = cache.get(entry)
    if (cached && cached.stamp === stamp?.text) return cached.manifest
    const { manifest, isRestored } = await readOrAdopt(entry, { lastGood, adopt })
    if (!isRestored && stamp?.isSettled && stampManifests(entry)?.text === stamp.text) {
      cache.set(entry, { stamp: stamp.text, manifest })
    }
    return manifest
  }
}

async function readOrAdopt(
  entry: SkillEntry,
  { lastGood, adopt }: ManifestCacheOptions,
): Promise<{ manifest: Manifest; isRestored: boolean }> {
  const { readSkillFiles } = await loadReadSource()
  const { toManifest } = await loadToManifest()
  const source = readSkillFiles(entry.dir)
  const read = toManifest(source)
  const before = read.problems.length > 0 ? lastGood?.source(entry.dir) : undefined
  const own = requireValidManifest(entry, before ? toManifest(before) : read)
  if (before) return { manifest: own, isRestored: true }
  const adopted = own.toml === null ? await adoptPlain(entry, source, adopt) : undefined
  return { manifest: adopted ?? own, isRestored: false }
}

/** The manifest of an adoption in memory; undefined if the skill has no commands. */
async function adoptPlain(
  entry: SkillEntry,
  { markdown }: Pick<SkillSource, 'markdown'>,
  adopt: SkillAdopter | undefined,
): Promise<Manifest | undefined> {
  const files = await adopt?.(entry)
  if (!files) return undefined
  const { readToml } = await import('../manifest/toml-source.ts')
  const { toManifest } = await loadToManifest()
  const toml = readToml('skill.toml', files.get('skill.toml') ?? '')
  return { ...requireValidManifest(entry, toManifest({ toml, markdown })), adoptedFiles: files }
}

/** Undefined if the files cannot be checked; reading them reports the reason. */
function stampSources({ dir }: SkillEntry, adopts: boolean): FolderStamp | undefined {
  try {
    // The manifest of a plain Agent Skill follows from its scripts.
    if (adopts && stampPath(`${dir}/skill.toml`) === MISSING) return signSkill(dir)
    return stampFiles([`${dir}/skill.toml`, `${dir}/SKILL.md`])
  } catch {
    return undefined
  }
}

function requireValidManifest(
  entry: SkillEntry,
  read: { manifest: Manifest; problems: readonly { file: string; message: string }[] },
): Manifest {
  const [problem] = read.problems
  if (!problem) return read.manifest
  throw new SkillsError(
    'skill/invalid',
    `Cannot read ${problem.file} of "${entry.name}": ${problem.message}`,
    {
      hint: `Run "skills lint ${entry.dir}"`,
    },
  )
}
